import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { lookAtChange } from '../../src/agent/change/look-at-change.ts'
import { openReport } from '../../src/agent/report/open-report.ts'
import { parseEvent } from '../../src/github/event-payload.ts'
import type { GitHub } from '../../src/github/connect-github.ts'
import type { CommitPullRequest, PullRequest } from '../../src/github/pull-requests.ts'
import { fakeGitHub, inTurn, mergedBy, PULL_REQUEST, RUN_FACTS } from '../support/fake-github.ts'
import { agentInputs, fakeStep } from '../support/fake-step.ts'
import { commit } from '../support/github-state.ts'
import { codeBlocks, markdownFiles } from '../support/markdown-files.ts'

/** Workflows that rightly go on, each with the reason. */
const GO_ON: Readonly<Record<string, string>> = {
  'rehearse.yml': 'asks the embedded service only',
  'rolling-skip.yml': 'asks once a month, whatever was changed, unless a pull request waits',
  'improve-most-read-pages.yml': 'is about who reads the pages, and not about what was changed',
  'refresh-old-pages.yml': 'is about pages that nobody has changed, and not about what was changed',
  'docs-checks.yml': 'asks no agent',
}

interface Workflow {
  readonly on: object
  readonly jobs: Readonly<
    Record<string, { readonly steps?: readonly { uses?: string; with?: Record<string, unknown> }[] }>
  >
}

const ASKS = 'your-org/docs-agent-action@v1'

const ROOT = new URL('../../', import.meta.url)
const recipes = readdirSync(new URL('docs/recipes/', ROOT))
  .filter((name) => name.endsWith('.yml') && !(name in GO_ON))
  .map((name) => [name, readFileSync(new URL(`docs/recipes/${name}`, ROOT), 'utf8')] as const)
const examples = markdownFiles().flatMap(({ path, text }) =>
  codeBlocks(text, 'yaml')
    .filter((code) => /^jobs:/m.test(code) && code.includes(ASKS))
    .map((code, index) => [`${path}, example ${index + 1}`, code] as const),
)

const WORKFLOWS = [...recipes, ...examples]
  .map(([name, text]) => ({ name, workflow: parse(text) as Workflow }))
  .filter(({ workflow }) =>
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
  const pull = { ...PULL_REQUEST, author, labels }
  const found: CommitPullRequest = { ...mergedBy(7, ...labels), author: author.login }
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
  const brings = (...answers: readonly (readonly CommitPullRequest[])[]) => ({
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
    'push of its branch': [push('agent/guide', commit('c'), 'Guide', author), brings([{ ...found, isMerged: false }])],
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
  const github = fakeGitHub({
    listMarkerComments: () => Promise.resolve([]),
    listTags: () => Promise.resolve(['v1']),
    compare: () =>
      Promise.resolve({
        ...({ relation: 'ahead', mergeBase: commit('a'), totalCommits: 1, files: FILES, fileList: 'whole' } as const),
        commits: [{ sha: MERGE, message, author: '' }],
      }),
    ...answers,
  })
  const inputs = agentInputs({}, { 'github-token': 'ghs_token', ...given })
  const [eventName = ''] = name.split(' ')
  const step = fakeStep({ github, facts: { ...RUN_FACTS, eventName, payload: parseEvent(eventName, payload) } })
  return (await lookAtChange(inputs.task, inputs, step, openReport(inputs, step))).skipReason
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
