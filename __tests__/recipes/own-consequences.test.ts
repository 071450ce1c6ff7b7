import { createRequire } from 'node:module'
import { expect, test } from '@jest/globals'
import { isUnsupportedEvent } from '../../src/agent/change/loop.ts'
import { AGENT_USER, MAINTAINER } from '../../src/emulator/github/demo-state.ts'
import { createRepositoryState, type RepositoryState } from '../../src/emulator/github/repository-state.ts'
import { parseEvent } from '../../src/github/event.ts'
import { greenRun, playEvent, pullOf, type Given } from '../../testing/compared-world.ts'
import { commit, madeCommit } from '../../testing/github-state.ts'
import { AGENT_ACTION, getDefaultInput, listWorkflowsToCopy, type Workflow } from '../../testing/workflow-files.ts'

/** Workflows that need not skip such events, with the reasons. */
const EXEMPT: Readonly<Record<string, string>> = {
  'rehearse.yml': 'uses the embedded service only',
  'improve-most-read-pages.yml': 'depends on the visitors of pages, not on changes',
  'many-projects.yml': 'sends one prompt to many projects, independent of changes',
  'weekly-report.yml': 'does not use the agent',
  'weekly-visitors.yml': 'does not use the agent',
}

const WORKFLOWS = listWorkflowsToCopy().filter(
  ({ name, workflow }) =>
    !(name in EXEMPT) &&
    /^(?:push|pull_request|schedule|workflow_run|release)$/m.test(Object.keys(workflow.on).join('\n')),
)

/** A step that attaches to a job sends no prompt. */
const isAttaching = (given: object): boolean => 'job-id' in given && !('prompt' in given) && !('prompt-file' in given)

/** Lists the inputs of the steps that send prompts. Omits inputs that consist of an expression only; in others, it becomes `acme`. */
function listSteps({ jobs }: Workflow): Record<string, string>[] {
  return Object.values(jobs)
    .flatMap(({ steps = [] }) => steps)
    .filter(({ uses, with: given = {} }) => uses === AGENT_ACTION && !isAttaching(given))
    .map(({ with: given = {} }) => {
      const texts = Object.entries(given).map(([name, value]) => [name, getDefaultInput(value)] as const)
      const written = texts.filter(([, text]) => !/^\$\{\{[^}]*\}\}$/.test(text))
      const plain = Object.fromEntries(
        written.map(([name, text]) => [name, text.replaceAll(/\$\{\{[^}]*\}\}/g, 'acme')] as const),
      )
      const ofFile = 'prompt-file' in given ? { 'prompt-file': '', prompt: 'Go.' } : {}
      return { label: 'docs-agent', ...plain, ...ofFile }
    })
}

const AGENT = { login: AGENT_USER, type: 'Bot' }
const PERSON = { login: MAINTAINER, type: 'User' }

interface Example {
  readonly name: string
  readonly payload: Readonly<Record<string, unknown>>
}

const REAL = createRequire(import.meta.url)('@octokit/webhooks-examples') as readonly {
  readonly name: string
  readonly examples: readonly Example['payload'][]
}[]

/** GitHub records runs of these events with the head commit that they are about. */
const EVENTS_OF_HEAD = ['push', 'pull_request', 'merge_group']

/** GitHub records runs of these events with the newest commit of the default branch. */
const EVENTS_OF_DEFAULT_BRANCH = (
  'workflow_run issue_comment issues label check_run check_suite status deployment deployment_status create delete ' +
  'release pull_request_target pull_request_review page_build registry_package discussion'
).split(' ')

/**
 * Real payloads of GitHub, collected by the authors of Octokit, without the events that cannot start the agent. Of workflow runs,
 * the collection has few of the events that can have started them.
 */
const EXAMPLES = REAL.filter(({ name }) => !isUnsupportedEvent(name)).flatMap(({ name, examples }) =>
  examples.flatMap((payload): Example[] => {
    const sent = { name, payload: { sender: AGENT, ...payload } }
    if (name === 'pull_request') return [sent, { ...sent, name: 'pull_request_target' }]
    if (name === 'workflow_run')
      return [...EVENTS_OF_HEAD, ...EVENTS_OF_DEFAULT_BRANCH].map((event) => {
        const workflow_run = { ...(payload['workflow_run'] as object), event }
        // Before its end, no run starts the agent.
        return { name, payload: { ...sent.payload, action: 'completed', workflow_run } }
      })
    return [sent]
  }),
)

const SCHEDULE: Example = { name: 'schedule', payload: {} }

/** What an adapted event is about: pull request 7 and its head commit, instead of those in the example. */
interface About {
  readonly branch: string
  readonly sender: typeof AGENT
  /** Whether workflow runs name their pull requests. */
  readonly isListed: boolean
  /** The commit that replaces all others. Default: the head commit of the pull request. */
  readonly sha?: string
}

/** The pull request's only commit, which is also its merge commit. */
const SHA = commit('b')
/** The commit before it, by a person: the newest one of the default branch while the pull request is open. */
const BASE_SHA = commit('d')
const REPOSITORY = { id: 1, full_name: 'acme/docs', default_branch: 'main' }
const NAMED = /^(?:head_branch|ref)$/
const OF_BASE = /^(?:base|base_sha|before)$/
/** The id of `ci.yml`. */
const WORKFLOW_ID = 1

/** Whether GitHub records a run with the default branch, so that it is unknown what the run is about. */
const isOfDefaultBranch = (value: object): boolean =>
  'event' in value && 'head_sha' in value && !EVENTS_OF_HEAD.includes(String(value.event))

function adaptText(text: string, { branch, sha = SHA }: About, key: string): string {
  if (/^(?!0+$)[0-9a-f]{40}$/.test(text)) return OF_BASE.test(key) ? BASE_SHA : sha
  if (key === 'head_ref') return text.replace(/pr-\d+/, 'pr-7')
  return NAMED.test(key) && !text.startsWith('refs/tags/') ? text.replace(/^(refs\/heads\/)?.*$/, `$1${branch}`) : text
}

function adaptPayload(value: unknown, about: About, key = ''): unknown {
  const { branch, sender, isListed, sha = SHA } = about
  if (/^(?:repo|repository|head_repository)$/.test(key)) return REPOSITORY
  if (key === 'sender') return sender
  if (key === 'workflow_id') return WORKFLOW_ID
  if (key === 'merged') return branch === 'main'
  if (key === 'pull_requests') return isListed ? [{ number: 7, base: { sha: BASE_SHA, repo: REPOSITORY } }] : []
  if (typeof value === 'string') return adaptText(value, about, key)
  if (Array.isArray(value)) return value.map((one) => adaptPayload(one, about))
  if (typeof value !== 'object' || value === null) return value
  if (isOfDefaultBranch(value) && sha !== BASE_SHA)
    return adaptPayload(value, { ...about, branch: 'main', isListed: false, sha: BASE_SHA }, key)
  if (OF_BASE.test(key) && sha !== BASE_SHA) return adaptPayload(value, { ...about, sha: BASE_SHA }, key)
  const adapted = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, adaptPayload(one, about, name)]))
  const isPull = key === 'pull_request' || (key === 'issue' && 'pull_request' in adapted)
  return isPull ? { ...adapted, number: 7, labels: [] } : adapted
}

/** Files that match the paths of every recipe. */
const FILES = ['docs/guide.md', 'docs/en/guide.md', 'src/a.ts', 'packages/acme/src/a.ts', 'openapi/a.yml']

/** Creates a repository with pull request 7. @param mergedBy undefined: it is open */
function createRepository(user: string, label: string, mergedBy: string | undefined): RepositoryState {
  const merge = mergedBy === undefined ? undefined : { sha: SHA, atMs: 0, by: mergedBy }
  const isOpen = merge === undefined
  const open = { state: 'open', closedBaseSha: undefined } as const
  return createRepositoryState({
    commits: [
      madeCommit({ sha: commit('a'), author: MAINTAINER }),
      madeCommit({ sha: BASE_SHA, parents: [commit('a')], author: MAINTAINER }),
      madeCommit({ sha: SHA, parents: [BASE_SHA], author: user, files: FILES.map((filename) => ({ filename })) }),
    ],
    branches: isOpen ? { main: BASE_SHA, 'agent/guide': SHA } : { main: SHA },
    tags: { '0.0.0': BASE_SHA },
    collaborators: { [MAINTAINER]: 'maintain' },
    pulls: { 7: pullOf('d', 'b', { branch: 'agent/guide', user, labels: [label], merge, ...(isOpen && open) }) },
    workflowRuns: [greenRun('d'), greenRun('d', { id: 29, workflow: 'ci.yml' })],
  })
}

/** Events of work on a pull request. Other events by a person, such as comments and tags, can be for the agent. */
const WORK_EVENTS = /^(?:push|pull_request|pull_request_target|workflow_run|merge_group)$/
const MANUAL_EVENTS = /^(?:workflow_dispatch|repository_dispatch)$/

const isOfTag = ({ payload: { ref_type, ref } }: Example): boolean =>
  ref_type === 'tag' || String(ref).startsWith('refs/tags/')
const isOfWork = (example: Example): boolean => WORK_EVENTS.test(example.name) && !isOfTag(example)
const isOfOpen = (one: Example): boolean => isOfWork(one) && one.payload['action'] !== 'closed'

/** The loop guard is about commits, branches and pull requests: an app may start the agent with an issue. */
const ISSUE_EVENTS = /^(?:issues|discussion)$/
const isOfApp = ({ name }: Example): boolean =>
  !MANUAL_EVENTS.test(name) && !ISSUE_EVENTS.test(name) && name !== 'schedule'

type Cause = readonly [how: string, wakes: (example: Example) => boolean, state: 'open' | 'merged', about: About]
const about = (sender: typeof AGENT, branch: string, isListed = false): About => ({ sender, branch, isListed })

const CAUSES: readonly Cause[] = [
  ['its app changes it', isOfApp, 'open', about(AGENT, 'agent/guide', true)],
  ['its app has runs that name no pull request', isOfApp, 'open', about(AGENT, 'agent/guide')],
  ['others work on it', (one) => isOfWork(one) && one.name !== 'push', 'open', about(PERSON, 'agent/guide')],
  ['a person merges it', isOfWork, 'merged', about(PERSON, 'main')],
  ['an app merges it', isOfApp, 'merged', about(AGENT, 'main')],
]
const isOfTime = ({ name }: Example): boolean => /^(?:schedule|release)$/.test(name)
const LATER_RUN: Cause = ['a later schedule or release includes its merge', isOfTime, 'merged', about(PERSON, 'main')]

interface PlayedExample {
  /** The cause and the event. */
  readonly what: string
  readonly skip: string | undefined
  /** Whether a prompt was sent, or would have been without `dry-run`. */
  readonly isSent: boolean
}

/** Runs a step for all events of some causes. Plays events once if a step sees no difference between them. */
async function playExamples(
  author: typeof AGENT,
  causes: readonly Cause[],
  examples: readonly Example[],
  given: Given,
): Promise<readonly PlayedExample[]> {
  const label = author === AGENT ? (given['label'] ?? '') : 'docs'
  const distinct = new Map<string, readonly [Example, Cause]>()
  for (const cause of causes)
    for (const { name, payload } of examples.filter(cause[1])) {
      const adapted = adaptPayload(payload, cause[3]) as Example['payload']
      const key = JSON.stringify([cause[2], name, parseEvent(name, adapted, '')])
      if (!distinct.has(key)) distinct.set(key, [{ name, payload: adapted }, cause])
    }
  const played: PlayedExample[] = []
  for (const [{ name, payload }, [how, , state, { sender, branch }]] of distinct.values()) {
    const repository = createRepository(author.login, label, state === 'merged' ? sender.login : undefined)
    // This event runs on the newest commit of the base.
    const sha = name === 'pull_request_target' ? BASE_SHA : SHA
    const facts = { sha, refName: name === 'push' ? branch : 'main' }
    const { skip, acceptedPrompts, report } = await playEvent(given, [name, payload], repository, { facts })
    const cause = (payload['workflow_run'] as { readonly event?: string } | undefined)?.event ?? ''
    played.push({
      what: `${how}: ${name} ${String(payload['action'])} ${cause}`,
      skip,
      isSent: acceptedPrompts.length > 0 || report.outcome === 'previewed',
    })
  }
  return played
}

type Step = readonly [name: string, given: Given, examples: readonly Example[], causes: readonly Cause[]]

/** The inputs of each step, and the events that start its workflow. */
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
  /#7|A bot caused the event|was deleted|closed without a merge|does not record what that run was about/

test.each(STEPS)(
  '%s sends no prompt for events that its own pull request causes',
  async (_name, given, examples, causes) => {
    const played = await playExamples(AGENT, causes, examples, given)
    expect(played.filter(({ skip = '', isSent }) => isSent || !EXPECTED_REASON.test(skip))).toEqual([])
  },
)

test.each(STEPS)('%s sends a prompt for the same events by a person', async (_name, given, examples) => {
  const ofPerson: readonly Cause[] = [
    ['works', isOfOpen, 'open', about(PERSON, 'agent/guide', true)],
    ['merges', isOfWork, 'merged', about(PERSON, 'main')],
    LATER_RUN,
  ]
  const changes = examples.filter(({ name, payload }) => {
    const isGivenUp = name === 'release' && /^(?:deleted|unpublished)$/.test(String(payload['action']))
    const run = payload['workflow_run']
    const isUnknown = typeof run === 'object' && run !== null && isOfDefaultBranch(run)
    return payload['deleted'] !== true && !isGivenUp && !isUnknown
  })
  const played = await playExamples(PERSON, ofPerson, changes, given)
  expect(played.filter(({ isSent }) => !isSent)).toEqual([])
})

test('covers every workflow that events of the agent can start', () => {
  expect(WORKFLOWS.filter(({ workflow }) => listSteps(workflow).length === 0)).toEqual([])
  expect(STEPS.filter(([, , examples]) => examples.length === 0)).toEqual([])
})
