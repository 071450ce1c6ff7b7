import { createRequire } from 'node:module'
import { expect, test } from '@jest/globals'
import { runAgent } from '../../src/agent/run.ts'
import type { GitHub } from '../../src/github/github.ts'
import type { ListedPullRequest, PullRequest } from '../../src/github/pull-requests.ts'
import { failed, fakeClient } from '../support/fake-client.ts'
import { fakeGitHub, inTurn, mergedBy, PULL_REQUEST, pullCommits, RUN_FACTS } from '../support/fake-github.ts'
import { agentInputs, fakeStep } from '../support/fake-step.ts'
import { commit } from '../support/github-state.ts'
import { lookAtChange } from '../support/look-at-change.ts'
import { ASKS, workflowsToCopy, type Workflow } from '../support/workflow-files.ts'

/** Workflows that rightly go on, each with the reason. */
const GO_ON: Readonly<Record<string, string>> = {
  'rehearse.yml': 'asks the embedded service only',
  'rolling-skip.yml': 'asks once a month, whatever was changed, unless a pull request waits',
  'improve-most-read-pages.yml': 'is about who reads the pages, and not about what was changed',
  'refresh-old-pages.yml': 'is about pages that nobody has changed, and not about what was changed',
  'docs-checks.yml': 'asks no agent',
}

const WORKFLOWS = workflowsToCopy().filter(
  ({ name, workflow }) =>
    !(name in GO_ON) &&
    /^(?:push|pull_request|schedule|workflow_run|release)$/m.test(Object.keys(workflow.on).join('\n')),
)

/** What the steps that ask the agent are given; what a run fills in as a whole is not needed here. */
function stepsOf({ jobs }: Workflow): Record<string, string>[] {
  const steps = Object.values(jobs).flatMap((job) => job.steps ?? [])
  return steps
    .filter(({ uses }) => uses === ASKS)
    .map(({ with: given = {} }) => {
      const texts = Object.entries(given).map(([name, value]) => [name, String(value)] as const)
      const written = texts.filter(([, text]) => !/^\$\{\{[^}]*\}\}$/.test(text))
      const plain = Object.fromEntries(
        written.map(([name, text]) => [name, text.replaceAll(/\$\{\{[^}]*\}\}/g, 'x')] as const),
      )
      return { label: 'docs-agent', ...plain, ...('prompt-file' in given ? { 'prompt-file': '', prompt: 'Go.' } : {}) }
    })
}

const MERGE = commit('d')
const merged = { state: 'merged', mergeCommitSha: MERGE } as const
const AGENT = { login: 'docs-agent[bot]', type: 'Bot' }
const ANN = { login: 'ann', type: 'User' }
const NEW = commit('0')

/** What comes of a pull request: the events, and what GitHub knows by then. */
function consequences(author: typeof AGENT, labels: readonly string[]): Record<string, [object, Partial<GitHub>]> {
  const pull = { ...PULL_REQUEST, author, labels, createdAt: '2025-12-31T23:59:00Z' }
  const found: ListedPullRequest = { ...mergedBy(7, ...labels), author }
  const payload = { number: 7, user: author, base: { sha: commit('a') }, head: { sha: commit('c') } }
  const event = (action: string, names: readonly string[], fields: object = {}) => ({
    action,
    pull_request: { ...payload, labels: names.map((name) => ({ name })), ...fields },
    sender: author,
  })
  const push = (ref: string, sha: string, message: string, sender: typeof AGENT) => ({
    ...{ ref: `refs/heads/${ref}`, before: ref === 'main' ? commit('a') : NEW, after: sha, sender },
    ...{ commits: [{ id: sha, message }], repository: { default_branch: 'main' } },
  })
  const knows = (...states: readonly Partial<PullRequest>[]) => ({
    readPullRequest: inTurn(...states.map((state) => ({ ...pull, ...state }))),
  })
  const brings = (...answers: readonly (readonly ListedPullRequest[])[]) => ({
    ...knows(merged),
    findPullRequestsOfCommit: inTurn(...answers),
  })
  /** GitHub does not know yet where the commit came from. */
  const ends = { ...knows(merged), findPullRequestsEndingWith: inTurn([found]) }
  const run = (head_branch: string, pull_requests: object[]) => ({
    workflow_run: { head_sha: MERGE, head_branch, head_commit: { message: 'Guide' }, pull_requests, actor: ANN },
    repository: { default_branch: 'main' },
  })
  return {
    'pull_request opened': [event('opened', []), knows({ labels: [] }, {})],
    'pull_request synchronize': [event('synchronize', labels), knows({})],
    'pull_request labeled': [event('labeled', labels), knows({})],
    'pull_request closed': [event('closed', labels, { merged: true }), knows(merged)],
    'push of its branch': [push('agent/guide', commit('c'), 'Guide', author), brings([{ ...found, state: 'open' }])],
    'push of its squash': [push('main', MERGE, 'Correct the guide (#7)', ANN), knows(merged)],
    'push of its rebase': [push('main', MERGE, 'Correct the guide', ANN), ends],
    'schedule after its merge': [{}, brings([found])],
    'workflow_run on it': [run('agent/guide', [{ number: 7, base: { sha: commit('a') } }]), knows({})],
    'workflow_run after its merge': [run('main', []), ends],
    'release after its merge': [{ action: 'published', release: { tag_name: 'v2' } }, brings([found])],
  }
}

/** Files that count by the paths of every recipe. */
const FILES = ['docs/guide.md', 'docs/en/guide.md', 'src/a.ts', 'openapi/a.yml'].map((path) => ({
  ...{ path, status: 'modified', previousPath: undefined, additions: 1, deletions: 0, patch: '+x' },
}))

async function skipReason(
  given: Record<string, string>,
  name: string,
  payload: { readonly commits?: { message: string }[]; readonly sender?: object },
  answers: Partial<GitHub>,
) {
  const message = payload.commits?.[0]?.message ?? 'Correct the guide'
  const github: Partial<GitHub> = {
    listMarkerComments: () => Promise.resolve([]),
    listTags: () => Promise.resolve([{ name: 'v1', sha: commit('e') }]),
    compare: () =>
      Promise.resolve({
        ...({ relation: 'ahead', mergeBase: commit('a'), totalCommits: 1, files: FILES, fileList: 'whole' } as const),
        commits: [{ sha: MERGE, message, author: '' }],
      }),
    ...answers,
  }
  return (await lookAtChange(given, [name.replace(/ .*/, ''), payload], github)).skip
}

const startsOn = ({ on }: Workflow, name: string): boolean => (name.split(' ')[0] ?? '') in on

test.each(WORKFLOWS)('$name asks for no further job by what its own pull request causes', async ({ workflow }) => {
  const steps = stepsOf(workflow)
  expect(steps).not.toHaveLength(0)
  for (const given of steps) {
    for (const [name, [payload, answers]] of Object.entries(consequences(AGENT, [given['label'] ?? '']))) {
      if (!startsOn(workflow, name)) continue
      expect([name, await skipReason(given, name, payload, answers)]).toEqual([name, expect.stringContaining('#7')])
    }
  }
})

test.each(WORKFLOWS)('$name asks for a job by the same events of a person', async ({ workflow }) => {
  for (const [name, [payload, answers]] of Object.entries(consequences(ANN, ['docs']))) {
    if (!startsOn(workflow, name)) continue
    for (const given of stepsOf(workflow))
      expect([name, await skipReason(given, name, payload, answers)]).toEqual([name, undefined])
  }
})

test('a commit of a person on the agent’s open pull request is for the agent', async () => {
  const [payload, answers] = consequences(AGENT, ['docs-agent'])['push of its branch'] ?? [{}, {}]
  const given = { label: 'docs-agent' }
  expect(await skipReason(given, 'push', { ...payload, sender: ANN }, answers)).toBeUndefined()
})

interface Example {
  readonly name: string
  readonly payload: Readonly<Record<string, unknown>>
}

/**
 * What GitHub really sent, collected by the authors of its client. Of packages they have the event with the older name, of
 * branches that were made or deleted none.
 */
const EXAMPLES: readonly Example[] = (
  createRequire(import.meta.url)('@octokit/webhooks-examples') as readonly {
    readonly name: string
    readonly examples: readonly Example['payload'][]
  }[]
).flatMap(({ name, examples }) =>
  examples.flatMap((payload) => [
    { name, payload: { sender: AGENT, ...payload } },
    ...(name === 'package'
      ? [{ name: 'registry_package', payload: { ...payload, registry_package: payload['package'] } }]
      : []),
    ...(/^(?:create|delete)$/.test(name) ? [{ name, payload: { ...payload, ref_type: 'branch' } }] : []),
  ]),
)

/** What an event is about, in the place of what it was about. */
interface About {
  readonly number: number
  readonly sha: string
  readonly branch: string
  readonly sender: typeof AGENT
  /** Whether runs and checks name their pull requests. */
  readonly isListed: boolean
}

const REPOSITORY = { id: 1, full_name: 'acme/docs', default_branch: 'main' }
const NAMED = /^(?:head_branch|ref)$/

function tellOf(value: unknown, about: About, key = ''): unknown {
  const { number, sha, branch, sender, isListed } = about
  if (/^(?:repo|repository|head_repository)$/.test(key)) return REPOSITORY
  if (key === 'sender') return sender
  if (key === 'pull_requests') return isListed ? [{ number, base: { sha, repo: REPOSITORY } }] : []
  if (typeof value === 'string') {
    if (/^(?!0+$)[0-9a-f]{40}$/.test(value)) return sha
    if (key === 'head_ref') return value.replace(/pr-\d+/, `pr-${number}`)
    return NAMED.test(key) && !value.startsWith('refs/tags/')
      ? value.replace(/^(refs\/heads\/)?.*$/, `$1${branch}`)
      : value
  }
  if (Array.isArray(value)) return value.map((one) => tellOf(one, about))
  if (typeof value !== 'object' || value === null) return value
  const told = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, tellOf(one, about, name)]))
  const isPull = key === 'pull_request' || (key === 'issue' && 'pull_request' in told)
  return isPull ? { ...told, number, labels: [] } : told
}

/** By a person, these are about nothing that the agent makes, and what is said, ordered or tagged is for the agent. */
const OF_WORK =
  /^(?:push|pull_request|check_run|check_suite|status|deployment|deployment_status|workflow_run|page_build|merge_group|registry_package|create|delete)$/
const BY_ORDER = /^(?:workflow_dispatch|repository_dispatch)$/
const isOfTag = ({ payload: { ref_type, ref } }: Example): boolean =>
  ref_type === 'tag' || String(ref).startsWith('refs/tags/')

const sha = (round: number, what: 'c' | 'd'): string => `${round}`.padStart(40, what)

/** What GitHub knows of a pull request whose branch is at one commit, and which another one has merged. */
function gitHubWith(number: number, author: typeof AGENT, labels: readonly string[], state: 'open' | 'merged'): GitHub {
  const listed: ListedPullRequest = { ...mergedBy(number, ...labels), state, author }
  const isOf = (asked: string): boolean => asked === sha(number, state === 'open' ? 'c' : 'd')
  return fakeGitHub({
    readPullRequest: () => Promise.resolve({ ...PULL_REQUEST, number, author, labels, state }),
    listMarkerComments: () => Promise.resolve([]),
    findPullRequestsOfCommit: (_repository, asked) => Promise.resolve(isOf(asked) ? [listed] : []),
    findPullRequestsOfBranch: (_repository, branch, wanted) =>
      Promise.resolve(branch === 'agent/guide' && (wanted === 'all' || state === 'open') ? [listed] : []),
    listPullRequestCommits: () => Promise.resolve(pullCommits({ sha: sha(number, 'c'), account: author })),
    listTags: () => Promise.resolve([{ name: '0.0.0', sha: commit('e') }]),
    compare: async (...range) => {
      const usual = await fakeGitHub().compare(...range)
      return { ...usual, commits: [{ sha: sha(number, state === 'open' ? 'c' : 'd'), message: 'Guide', author: '' }] }
    },
  })
}

/** Whether an event starts a job, with the inputs that everybody has. */
async function startsJob({ name, payload }: Example, about: About, github: GitHub): Promise<boolean> {
  const client = fakeClient({ create: failed, reads: [failed] })
  const inputs = agentInputs({}, { label: 'docs-agent', 'github-token': 'ghs_token' })
  const facts = { ...RUN_FACTS, eventName: name, sha: about.sha, payload: tellOf(payload, about) }
  await runAgent(inputs, fakeStep({ client, github, context: facts }))
  return client.calls.includes('create')
}

const ROUNDS = [7, 8, 9, 10, 11]
const ofWork = (example: Example): boolean => OF_WORK.test(example.name) && !isOfTag(example)

/** How the agent's work comes to wake a workflow. */
const WAKES: readonly (readonly [
  string,
  (example: Example) => boolean,
  'open' | 'merged',
  Omit<About, 'number' | 'sha'>,
])[] = [
  ['its app works on it', () => true, 'open', { branch: 'agent/guide', sender: AGENT, isListed: true }],
  [
    'its app has checks that name no pull request',
    () => true,
    'open',
    { branch: 'agent/guide', sender: AGENT, isListed: false },
  ],
  [
    'others check and deploy it',
    (one) => ofWork(one) && one.name !== 'push',
    'open',
    { branch: 'agent/guide', sender: ANN, isListed: false },
  ],
  [
    'a person merges it',
    (one) => ofWork(one) && !/^(?:create|delete)$/.test(one.name),
    'merged',
    { branch: 'main', sender: ANN, isListed: false },
  ],
  [
    'a person deletes its branch',
    ({ name }) => name === 'delete',
    'merged',
    { branch: 'agent/guide', sender: ANN, isListed: false },
  ],
  ['an app merges it', () => true, 'merged', { branch: 'main', sender: AGENT, isListed: false }],
]

test.each(WAKES)(
  'of five rounds of the agent’s own work none starts a job where %s, whatever the event',
  async (_how, wakes, state, about) => {
    const jobs: string[] = []
    const examples = EXAMPLES.filter(
      (example) => !BY_ORDER.test(example.name) && wakes(example) && !(about.sender === ANN && isOfTag(example)),
    )
    for (const example of examples)
      for (const number of ROUNDS) {
        const github = gitHubWith(number, AGENT, ['docs-agent'], state)
        const round = { ...about, number, sha: sha(number, state === 'open' ? 'c' : 'd') }
        if (await startsJob(example, round, github)) jobs.push(`${example.name} ${String(example.payload['action'])}`)
      }
    expect(examples.length).toBeGreaterThan(0)
    expect(jobs).toEqual([])
  },
)

test('the same events of the work of a person start a job each', async () => {
  const none: string[] = []
  const isNoChange = ({ payload }: Example): boolean => payload['deleted'] === true || payload['action'] === 'closed'
  for (const example of EXAMPLES.filter((one) => ofWork(one) && !isNoChange(one)))
    for (const state of ['open', 'merged'] as const) {
      const about = { branch: state === 'open' ? 'agent/guide' : 'main', sender: ANN, isListed: state === 'open' }
      const given = { ...about, number: 7, sha: sha(7, state === 'open' ? 'c' : 'd') }
      if (!(await startsJob(example, given, gitHubWith(7, ANN, ['docs'], state)))) none.push(example.name)
    }
  expect(new Set(none)).toEqual(new Set())
})
