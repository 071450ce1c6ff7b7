import { expect, test } from '@jest/globals'
import { GITHUB_TOKEN } from '../../../src/emulator/github/demo-state.ts'
import { createPullState } from '../../../src/emulator/github/pull-state.ts'
import { createRepositoryState } from '../../../src/emulator/github/repository-state.ts'
import { jsonResponse } from '../../../src/emulator/http/exchange.ts'
import { PUSH, type GivenRun } from '../../../testing/given-run.ts'
import { agentInputs } from '../../../testing/agent-inputs.ts'
import { commit, madeCommit } from '../../../testing/github-state.ts'
import { playStep, type PlayedStep, type Responder } from '../../../testing/play-step.ts'

const [OLD, BASE, NEW, HEAD] = [commit('1'), commit('a'), commit('d'), commit('b')]
const FILES = { 'change-context': 'files' }
const SINCE = { ...FILES, 'change-range': 'since-last-success' }

const TOO_LONG = 'Server Error: Sorry, this diff is taking too long to generate.'
const refuse = (status: number, body: object) => () => jsonResponse(status, body)
const REFUSALS: Readonly<Record<string, Responder>> = {
  '422 not_available': refuse(422, {
    message: TOO_LONG,
    errors: [{ resource: 'Comparison', field: 'diff', code: 'not_available' }],
  }),
  '500 each time': refuse(500, { message: TOO_LONG }),
}

const PUSHED: Partial<GivenRun> = { eventName: 'push', payload: PUSH }
const PULL: Partial<GivenRun> = {
  eventName: 'pull_request',
  payload: {
    sender: PUSH.sender,
    pull_request: { number: 7, base: { sha: OLD }, head: { sha: HEAD } },
  },
}

const createRepository = (parents: readonly string[] = [OLD]) =>
  createRepositoryState({
    labels: ['docs-agent'],
    commits: [
      madeCommit({ sha: OLD, message: 'Begin' }),
      madeCommit({ sha: BASE, parents, message: 'Add the parser' }),
      madeCommit({ sha: NEW, parents: [BASE], message: 'Add the printer' }),
      madeCommit({ sha: HEAD, parents: [NEW], message: 'Add the tests' }),
    ],
    branches: { main: HEAD, guide: HEAD },
    pulls: { 7: createPullState({ branch: 'guide', headSha: HEAD, closedBaseSha: BASE, user: 'ann' }) },
  })

const play = (
  compare: Responder,
  facts: Partial<GivenRun> = PUSHED,
  given: Readonly<Record<string, string>> = FILES,
  repository = createRepository(),
): Promise<PlayedStep> =>
  playStep({
    inputs: agentInputs({}, { 'github-token': GITHUB_TOKEN, label: 'docs-agent', ...given }),
    facts,
    repository,
    responses: { 'repos/compare-commits-with-basehead': compare },
  })

const getPrompt = ({ acceptedPrompts }: PlayedStep): string => acceptedPrompts.map(([, prompt]) => prompt).join()

test.each(Object.entries(REFUSALS))(
  'sends the commits without files if GitHub cannot compare, and quotes it (%s)',
  async (_what, compare) => {
    const played = await play(compare)
    const prompt = getPrompt(played)
    for (const text of ['2 commits', 'Add the tests', 'Add the printer', 'the files that they changed are not known'])
      expect(prompt).toContain(text)
    for (const text of ['Add the parser', 'Files:', '0 files']) expect(prompt).not.toContain(text)
    expect(played.hostCalls.join()).toContain(TOO_LONG)
  },
)

test('sends the commits of a pull request that GitHub cannot compare', async () => {
  const played = await play(REFUSALS['500 each time'] ?? refuse(500, {}), PULL)
  expect(getPrompt(played)).toContain('Add the tests')
  expect(played.operations).toContain('pulls/list-commits')
  expect(played.operations).not.toContain('repos/list-commits')
})

test('sends the whole history if the two ends have no common ancestor', async () => {
  const compare = refuse(404, { message: `No common ancestor between ${OLD} and ${HEAD}.` })
  const payload = { ...PUSH, before: OLD }
  const prompt = getPrompt(await play(compare, { ...PUSHED, payload }, FILES, createRepository([])))
  expect(prompt).toContain('3 commits')
  expect(prompt).not.toContain('Begin')
})

test.each<[what: string, given: Readonly<Record<string, string>>, hint: string]>([
  [
    'since the last success',
    { ...SINCE, paths: 'src/**' },
    'Run this workflow once by hand with `change-range: BASE...HEAD`',
  ],
  ['of a push', { ...FILES, paths: 'src/**' }, 'Remove `paths`'],
])('with `paths`, a change %s that GitHub cannot compare is red, with the way out', async (_what, given, hint) => {
  for (const compare of Object.values(REFUSALS)) {
    const repository = createRepository()
    const workflow = { workflow: 'docs.yml', branch: 'main', status: 'completed', conclusion: 'success' } as const
    repository.workflowRuns.push({ ...workflow, id: 31, headSha: BASE, event: 'push', createdAtMs: 0 })
    const played = await play(compare, PUSHED, given, repository)
    expect([played.isGreen, played.acceptedPrompts]).toEqual([false, []])
    expect(played.line).toContain(TOO_LONG)
    expect(played.line).toContain(hint)
  }
})

test('is red if the commits cannot be listed either, and for a failure that may pass', async () => {
  const diverged = { ...PUSHED, payload: { ...PUSH, before: commit('9') } }
  for (const played of [
    await play(REFUSALS['500 each time'] ?? refuse(500, {}), diverged),
    await play(refuse(503, { message: TOO_LONG })),
  ])
    expect([played.isGreen, played.acceptedPrompts]).toEqual([false, []])
})
