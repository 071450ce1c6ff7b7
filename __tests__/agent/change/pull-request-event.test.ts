import { expect, test } from '@jest/globals'
import { GITHUB_TOKEN, MAINTAINER } from '../../../src/emulator/github/demo-state.ts'
import { combineScenarios } from '../../../src/emulator/github/github-scenarios.ts'
import { agentInputs } from '../../../testing/agent-inputs.ts'
import { commit, repositoryWithPull } from '../../../testing/github-state.ts'
import { playStep, type PlayStepOptions, respondWith, respondForbidden } from '../../../testing/play-step.ts'

const REACT = 'reactions/create-for-issue'
const CREATE_LABEL = 'issues/create-label'

/** Pull request 7 of a person starts the run. */
const play = (
  given: Readonly<Record<string, string>> = {},
  { eventName = 'pull_request', ...options }: Partial<PlayStepOptions> & { readonly eventName?: string } = {},
) => {
  const order: string[] = []
  const payload = {
    action: 'opened',
    sender: { login: MAINTAINER, type: 'User' },
    repository: { default_branch: 'main' },
    pull_request: { number: 7, base: { sha: commit('a') }, head: { sha: commit('c') } },
  }
  const collaborators = { [MAINTAINER]: 'maintain' } as const
  return playStep({
    inputs: agentInputs({}, { 'github-token': GITHUB_TOKEN, label: 'docs-agent', ...given }),
    repository: repositoryWithPull({ user: MAINTAINER, labels: [] }, { collaborators }),
    facts: { eventName, payload },
    onRequest: (what) => order.push(what),
    ...options,
  }).then((played) => ({ ...played, order }))
}

test.each(['pull_request', 'pull_request_target'])(
  'on %s, makes sure of the label and reacts to the pull request before the prompt',
  async (eventName) => {
    const { isGreen, docs, order } = await play({}, { eventName })
    expect(isGreen).toBe(true)
    for (const what of [CREATE_LABEL, REACT]) {
      expect(order).toContain(what)
      expect(order.indexOf(what)).toBeLessThan(order.indexOf('create'))
    }
    expect(docs.labels).toContain('docs-agent')
    expect(docs.pulls[7]?.reactions).toMatchObject([{ content: 'eyes' }])
  },
)

test('does so before a follow-up to `job-id`, too', async () => {
  const { order } = await play({ 'job-id': 'job_finished' })
  for (const what of [CREATE_LABEL, REACT]) {
    expect(order).toContain(what)
    expect(order.indexOf(what)).toBeLessThan(order.indexOf('message job_finished'))
  }
})

test('does so once for the rolling pull request', async () => {
  const { isGreen, order } = await play({ 'on-open-pr': 'follow-up' })
  expect(isGreen).toBe(true)
  expect(order.filter((what) => what === REACT)).toHaveLength(1)
})

test.each<[what: string, options: Partial<PlayStepOptions>]>([
  ['the label', { responses: { [CREATE_LABEL]: respondWith(403) } }],
  ['the reaction', { responses: { [REACT]: respondWith(403) } }],
  ['anything', { github: combineScenarios(['read-only']) }],
])('sends nothing if %s cannot be written, and names all permissions', async (_what, options) => {
  for (const given of [{}, { 'on-open-pr': 'follow-up' }, { 'job-id': 'job_finished' }]) {
    const { isGreen, acceptedPrompts, report } = await play(given, options)
    expect([isGreen, acceptedPrompts, report.error?.code]).toEqual([false, [], 'not-sent'])
  }
})

test('names all permissions if the token may not write', async () => {
  const { line } = await play({}, { github: combineScenarios(['read-only']) })
  expect(line).toContain('`permissions: { actions: read, contents: read, issues: write, pull-requests: write }`')
})

test.each(['issues/add-labels', 'issues/create-comment'])(
  'is red if %s fails after the job, although `on-open-pr` is `new`',
  async (operation) => {
    const { isGreen, report, line } = await play({}, { responses: { [operation]: respondForbidden } })
    expect([isGreen, report.outcome]).toEqual([false, 'pull-request'])
    expect(line).toContain('`permissions: { actions: read, contents: read, issues: write, pull-requests: write }`')
  },
)

test("stops after the second pull request of an agent's user if comments are refused and labels are not", async () => {
  const options = {
    github: { ...combineScenarios([]), agentType: 'User' },
    responses: { 'issues/create-comment': respondForbidden },
  } as const
  let played = await play({}, options)
  const prompts = [played.acceptedPrompts.length]
  let number = 0
  for (let runId = 43; runId < 46; runId++) {
    number = Number(played.outputs['pr-number']) || number
    const { headSha: sha = '', user: login = '' } = played.docs.pulls[number] ?? {}
    const payload = {
      action: 'opened',
      sender: { login, type: 'User' },
      repository: { default_branch: 'main' },
      pull_request: { number, user: { login, type: 'User' }, base: { sha: commit('a') }, head: { sha } },
    }
    const facts = { runId, eventName: 'pull_request', payload }
    played = await play({}, { ...options, after: played, facts })
    prompts.push(played.acceptedPrompts.length)
  }
  expect(prompts).toEqual([1, 1, 0, 0])
  expect(played.isGreen).toBe(true)
})

test.each<[given: Readonly<Record<string, string>>, message: string]>([
  [{ wait: 'false' }, '`wait` must be `true`'],
  [{ label: '' }, '`label` must not be empty'],
  [{ 'github-token': '' }, '`github-token` must not be empty'],
  [{ wait: 'false', label: '' }, '`wait` must be `true`, and `label` must not be empty'],
])('rejects %j', async (given, message) => {
  for (const eventName of ['pull_request', 'pull_request_target']) {
    const { isGreen, report, service, operations } = await play(given, { eventName })
    expect([isGreen, service.requests, operations]).toEqual([false, [], []])
    expect(report.error?.code).toBe('invalid-input')
    expect(report.error?.message).toContain(message)
  }
})

test.each<[what: string, eventName: string, given: Readonly<Record<string, string>>]>([
  ['another event', 'push', { wait: 'false', label: '' }],
  ['a command', 'pull_request', { command: '/docs', label: '' }],
  ['a step that only waits', 'pull_request', { prompt: '', 'job-id': 'job_finished', label: '' }],
  ['a dry run', 'pull_request', { 'dry-run': 'true', label: '' }],
])('allows these inputs for %s, and neither reacts nor creates a label', async (_what, eventName, given) => {
  const { report, observed } = await play(given, { eventName })
  expect(report.error).toBeUndefined()
  expect(observed.writes).toEqual([])
})

test.each([{}, { 'job-id': 'job_finished' }, { 'on-open-pr': 'follow-up' }])(
  'writes nothing in a dry run with %j',
  async (given) => {
    const { report, observed } = await play({ 'dry-run': 'true', ...given })
    expect([report.outcome, observed.writes]).toEqual(['previewed', []])
  },
)
