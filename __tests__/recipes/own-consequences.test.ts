import { createRequire } from 'node:module'
import { expect, test } from '@jest/globals'
import type { GitHub } from '../../src/github/github.ts'
import type { ListedPullRequest } from '../../src/github/pull-requests.ts'
import {
  changedFile,
  comparing,
  mergedBy,
  PULL_REQUEST,
  pullCommit,
  pullCommits,
  RUN_FACTS,
} from '../support/fake-github.ts'
import { commit } from '../support/github-state.ts'
import { lookAtChange } from '../support/look-at-change.ts'
import { AGENT_ACTION, listWorkflowsToCopy, type Workflow } from '../support/workflow-files.ts'

/** Workflows that rightly go on, each with the reason. */
const EXEMPT: Readonly<Record<string, string>> = {
  'rehearse.yml': 'asks the embedded service only',
  'rolling-skip.yml': 'asks once a month, whatever was changed, unless a pull request waits',
  'improve-most-read-pages.yml': 'is about who reads the pages, and not about what was changed',
  'refresh-old-pages.yml': 'is about pages that nobody has changed, and not about what was changed',
  'docs-checks.yml': 'asks no agent',
  'fleet-on-schedule.yml': 'gives one instruction to many projects, whatever was changed',
  'weekly-visitors.yml': 'asks no agent',
}

const WORKFLOWS = listWorkflowsToCopy().filter(
  ({ name, workflow }) =>
    !(name in EXEMPT) &&
    /^(?:push|pull_request|schedule|workflow_run|release)$/m.test(Object.keys(workflow.on).join('\n')),
)

/** A step that attaches to a job sends nothing, whatever started it. */
const attaches = (given: object): boolean => 'job-id' in given && !('prompt' in given) && !('prompt-file' in given)

/** What the steps that ask the agent are given; what a run fills in as a whole is not needed here. */
function listSteps({ jobs }: Workflow): Record<string, string>[] {
  const steps = Object.values(jobs).flatMap((job) => job.steps ?? [])
  return steps
    .filter(({ uses, with: given = {} }) => uses === AGENT_ACTION && !attaches(given))
    .map(({ with: given = {} }) => {
      const texts = Object.entries(given).map(([name, value]) => [name, String(value)] as const)
      const written = texts.filter(([, text]) => !/^\$\{\{[^}]*\}\}$/.test(text))
      const plain = Object.fromEntries(
        written.map(([name, text]) => [name, text.replaceAll(/\$\{\{[^}]*\}\}/g, 'x')] as const),
      )
      return { label: 'docs-agent', ...plain, ...('prompt-file' in given ? { 'prompt-file': '', prompt: 'Go.' } : {}) }
    })
}

const AGENT = PULL_REQUEST.author
const ANN = { login: 'ann', type: 'User' }

interface Example {
  readonly name: string
  readonly payload: Readonly<Record<string, unknown>>
}

const REAL = createRequire(import.meta.url)('@octokit/webhooks-examples') as readonly {
  readonly name: string
  readonly examples: readonly Example['payload'][]
}[]

/** Runs of these are recorded with the head that they are about, and runs of those with the default branch's newest commit. */
const EVENTS_OF_HEAD = ['push', 'pull_request', 'merge_group']
const EVENTS_OF_DEFAULT_BRANCH = (
  'workflow_run issue_comment issues label check_run check_suite status deployment deployment_status create delete ' +
  'release pull_request_target pull_request_review page_build registry_package discussion'
).split(' ')

/**
 * What GitHub really sent, collected by the authors of its client. Of packages they have the event with the older name, of
 * branches that were made or deleted none, and of workflow runs few of the events that start them.
 */
const EXAMPLES = REAL.flatMap(({ name, examples }) =>
  examples.flatMap((payload): Example[] => {
    const sent = { name, payload: { sender: AGENT, ...payload } }
    if (name === 'pull_request') return [sent, { ...sent, name: 'pull_request_target' }]
    if (name === 'workflow_run')
      return [...EVENTS_OF_HEAD, ...EVENTS_OF_DEFAULT_BRANCH].map((event) => {
        const workflow_run = { ...(payload['workflow_run'] as object), event }
        return { name, payload: { ...sent.payload, workflow_run } }
      })
    if (name === 'package')
      return [sent, { name: 'registry_package', payload: { ...payload, registry_package: payload['package'] } }]
    return /^(?:create|delete)$/.test(name) ? [sent, { name, payload: { ...payload, ref_type: 'branch' } }] : [sent]
  }),
)

const SCHEDULE: Example = { name: 'schedule', payload: {} }

/** What an event is about, in the place of what it was about: pull request 7, whose newest commit the run is about. */
interface About {
  readonly branch: string
  readonly sender: typeof AGENT
  /** Whether runs and checks name their pull requests. */
  readonly isListed: boolean
  /** What each commit is in the place of; by default the head of the pull request. */
  readonly sha?: string
}

const SHA = RUN_FACTS.sha
/** The newest commit of the default branch, which a person has pushed. */
const PERSONS_SHA = commit('d')
/** GitHub's merge of the pull request for a test, for which GitHub lists no pull request. */
const TEST_MERGE_SHA = commit('4')
const REPOSITORY = { id: 1, full_name: 'acme/docs', default_branch: 'main' }
const NAMED = /^(?:head_branch|ref)$/

/** Of a run that GitHub records with the default branch nothing says what it is about. */
const isOfDefaultBranch = (value: object): boolean =>
  'event' in value && 'head_sha' in value && !EVENTS_OF_HEAD.includes(String(value.event))

function adaptPayload(value: unknown, about: About, key = ''): unknown {
  const { branch, sender, isListed, sha = SHA } = about
  if (/^(?:repo|repository|head_repository)$/.test(key)) return REPOSITORY
  if (key === 'sender') return sender
  if (key === 'merged') return branch === 'main'
  if (key === 'pull_requests') return isListed ? [{ number: 7, base: { sha: SHA, repo: REPOSITORY } }] : []
  if (typeof value === 'string') {
    if (/^(?!0+$)[0-9a-f]{40}$/.test(value)) return sha
    if (key === 'head_ref') return value.replace(/pr-\d+/, 'pr-7')
    return NAMED.test(key) && !value.startsWith('refs/tags/')
      ? value.replace(/^(refs\/heads\/)?.*$/, `$1${branch}`)
      : value
  }
  if (Array.isArray(value)) return value.map((one) => adaptPayload(one, about))
  if (typeof value !== 'object' || value === null) return value
  if (isOfDefaultBranch(value) && sha !== PERSONS_SHA)
    return adaptPayload(value, { ...about, branch: 'main', isListed: false, sha: PERSONS_SHA }, key)
  const told = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, adaptPayload(one, about, name)]))
  const isPull = key === 'pull_request' || (key === 'issue' && 'pull_request' in told)
  return isPull ? { ...told, number: 7, labels: [] } : told
}

/** Files that count by the paths of every recipe. */
const FILES = ['docs/guide.md', 'docs/en/guide.md', 'src/a.ts', 'openapi/a.yml'].map(changedFile)

/** What GitHub knows of a pull request and its commit, which is the newest on its branch or has merged it. */
function createGitHub(author: typeof AGENT, label: string, state: 'open' | 'merged'): Partial<GitHub> {
  const listed: ListedPullRequest = { ...mergedBy(7, label), state, author }
  return {
    readPullRequest: () => Promise.resolve({ ...PULL_REQUEST, author, labels: [label], state }),
    listComments: () => Promise.resolve([]),
    findPullRequestsOfCommit: (_repository, sha) => Promise.resolve(sha === SHA ? [listed] : []),
    readCommit: (_repository, sha) => {
      const message = sha === TEST_MERGE_SHA ? `Merge ${SHA} into ${PERSONS_SHA}` : 'Work'
      return Promise.resolve(pullCommit({ sha, message, parents: [PERSONS_SHA, SHA] }))
    },
    findPullRequestsOfBranch: (_repository, branch, wanted) =>
      Promise.resolve(branch === 'agent/guide' && (wanted === 'all' || state === 'open') ? [listed] : []),
    listPullRequestCommits: () => Promise.resolve(pullCommits({ sha: SHA, account: author })),
    listTags: () => Promise.resolve([{ name: '0.0.0', sha: commit('e') }]),
    ...comparing({ files: FILES }),
  }
}

/** By a person, these are about nothing that the agent makes, and what is said, ordered or tagged is for the agent. */
const WORK_EVENTS =
  /^(?:push|pull_request|pull_request_target|check_run|check_suite|status|deployment|deployment_status|workflow_run|page_build|merge_group|registry_package|create)$/
const COMMIT_EVENTS = /^(?:check_run|check_suite|status|deployment|deployment_status)$/
const MANUAL_EVENTS = /^(?:workflow_dispatch|repository_dispatch)$/

const isOfTag = ({ payload: { ref_type, ref } }: Example): boolean =>
  ref_type === 'tag' || String(ref).startsWith('refs/tags/')
const isOfWork = (example: Example): boolean => WORK_EVENTS.test(example.name) && !isOfTag(example)
const isOfCommit = ({ name }: Example): boolean => COMMIT_EVENTS.test(name)
const isOfOpen = (one: Example): boolean => isOfWork(one) && one.payload['action'] !== 'closed'
const isOfApp = ({ name }: Example): boolean => !MANUAL_EVENTS.test(name) && name !== 'schedule'

type Cause = readonly [how: string, wakes: (example: Example) => boolean, state: 'open' | 'merged', about: About]
const about = (sender: typeof AGENT, branch: string, isListed = false): About => ({ sender, branch, isListed })

const CAUSES: readonly Cause[] = [
  ['its app works on it', isOfApp, 'open', about(AGENT, 'agent/guide', true)],
  ['its app has checks that name no pull request', isOfApp, 'open', about(AGENT, 'agent/guide')],
  ['others check and deploy it', (one) => isOfWork(one) && one.name !== 'push', 'open', about(ANN, 'agent/guide')],
  ['others check its test merge', isOfCommit, 'open', { ...about(ANN, 'main'), sha: TEST_MERGE_SHA }],
  ['others deploy its test merge', isOfCommit, 'open', { ...about(ANN, 'refs/pull/7/merge'), sha: TEST_MERGE_SHA }],
  ['a person merges it', (one) => isOfWork(one) && one.name !== 'create', 'merged', about(ANN, 'main')],
  ['a person deletes its branch', (one) => one.name === 'delete', 'merged', about(ANN, 'agent/guide')],
  ['an app merges it', isOfApp, 'merged', about(AGENT, 'main')],
]
const isOfTime = ({ name }: Example): boolean => /^(?:schedule|release)$/.test(name)
const LATER_RUN: Cause = ['a schedule or a person looks back to its merge', isOfTime, 'merged', about(ANN, 'main')]

type Given = Readonly<Record<string, string>>

/** The events of a way to wake it, each with why it asks for no job. */
async function listSkipReasons(
  author: typeof AGENT,
  [, wakes, state, about]: Cause,
  examples: readonly Example[],
  given: Given,
) {
  const github = createGitHub(author, author === AGENT ? (given['label'] ?? '') : 'docs', state)
  const reasons: (readonly [event: string, reason: string | undefined])[] = []
  for (const example of examples.filter(wakes)) {
    const { name, payload } = example
    // The newest commit of the base.
    const facts = name === 'pull_request_target' ? { sha: PERSONS_SHA } : {}
    const { skip } = await lookAtChange(given, [name, adaptPayload(payload, about)], github, facts)
    const cause = (payload['workflow_run'] as { readonly event?: string } | undefined)?.event ?? ''
    reasons.push([`${name} ${String(payload['action'])} ${cause}`, skip])
  }
  return reasons
}

type Step = readonly [name: string, given: Given, examples: readonly Example[], wakes: readonly Cause[]]

/** What is given to a step, and the events that start its workflow. */
const STEPS: readonly Step[] = [
  ['a step with a label', { label: 'docs-agent' }, EXAMPLES, CAUSES],
  ...WORKFLOWS.flatMap(({ name, workflow }) =>
    listSteps(workflow).map((given, index): Step => {
      const examples = [...EXAMPLES, SCHEDULE].filter((one) => one.name in workflow.on)
      return [`${name}, step ${index + 1}`, given, examples, [...CAUSES, LATER_RUN]]
    }),
  ),
]

const EXPECTED_REASON =
  /#7|A bot started this run|was deleted|closed without a merge|does not record what that run was about/

test.each(STEPS)('%s asks for no job by what its own pull request causes', async (_name, given, examples, wakes) => {
  for (const wake of wakes) {
    const others = (await listSkipReasons(AGENT, wake, examples, given)).filter(
      ([, reason = '']) => !EXPECTED_REASON.test(reason),
    )
    expect([wake[0], others]).toEqual([wake[0], []])
  }
})

test.each(STEPS)('%s asks for a job by each of these events of a person', async (_name, given, examples) => {
  const ofPerson: readonly Cause[] = [
    ['works', isOfOpen, 'open', about(ANN, 'agent/guide', true)],
    ['merges', isOfWork, 'merged', about(ANN, 'main')],
    LATER_RUN,
  ]
  const changes = examples.filter(({ payload }) => {
    const run = payload['workflow_run']
    const isUnknown = typeof run === 'object' && run !== null && isOfDefaultBranch(run)
    return payload['deleted'] !== true && !isUnknown
  })
  for (const wake of ofPerson)
    for (const reason of await listSkipReasons(ANN, wake, changes, given))
      expect([wake[0], ...reason]).toEqual([wake[0], reason[0], undefined])
})

test('every workflow that hears of the work of its agent is looked at', () => {
  expect(WORKFLOWS.filter(({ workflow }) => listSteps(workflow).length === 0)).toEqual([])
  expect(STEPS.filter(([, , examples]) => examples.length === 0)).toEqual([])
})
