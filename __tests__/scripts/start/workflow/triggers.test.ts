import { expect, test } from '@jest/globals'
import {
  chooseCron,
  chooseTriggers,
  decide,
  type Decision,
  type Occasion,
} from '../../../../scripts/start/workflow/triggers.ts'
import { readWorkflow, type Trigger } from '../../../../scripts/start/workflow/workflow-file.ts'

async function readTriggers(on: string): Promise<readonly Trigger[]> {
  const text = `on:\n  ${on}\njobs:\n  a:\n    runs-on: x\n    steps: [{ run: x }]\n`
  return (await readWorkflow('w.yml', text)).triggers
}

const FILES = ['src/deploy.ts', 'README.md']

/** Decides about the first trigger. */
async function decideFirst(on: string, occasion: Partial<Occasion> = {}): Promise<Decision> {
  const [trigger] = await readTriggers(on)
  if (trigger === undefined) throw new Error('There is no trigger.')
  return decide(trigger, FILES, { ordinal: 1, defaultBranch: 'main', ...occasion })
}

test.each<[on: string, ref: string, kind: 'branch' | 'tag']>([
  ['push:', 'main', 'branch'],
  ['push: { branches: [main, develop] }', 'main', 'branch'],
  ['push: { branches: [develop] }', 'develop', 'branch'],
  ["push: { branches: ['release/**'] }", 'release/demo', 'branch'],
  ["push: { branches: ['**', '!main'] }", 'master', 'branch'],
  ['push: { branches-ignore: [main] }', 'master', 'branch'],
  ['push: { branches-ignore: [main, master] }', 'develop', 'branch'],
  ['push: { branches-ignore: [ma*, dev*, "*"] }', 'feature/demo', 'branch'],
  ["push: { branches-ignore: ['**'], tags: ['v*'] }", 'v1.2.0', 'tag'],
  ['push: { tags-ignore: [v*] }', '1.2.0', 'tag'],
  ["push: { tags: ['v*'] }", 'v1.2.0', 'tag'],
  ["push: { tags: ['docs-*'] }", 'docs-1.2.0', 'tag'],
  ["push: { branches: [main], tags: ['v*'] }", 'main', 'branch'],
  ['push: { paths: [src/**] }', 'main', 'branch'],
  ["push: { paths: ['**', '!docs/**'] }", 'main', 'branch'],
  ["push: { paths-ignore: ['*.md'] }", 'main', 'branch'],
  ["push: { tags: ['v*'], paths: [docs/**] }", 'v1.2.0', 'tag'],
  ["schedule: [{ cron: '0 3 * * *' }]", 'main', 'branch'],
  ['release: { types: [released] }', 'v1.2.0', 'tag'],
  ['issue_comment: { types: [created] }', 'main', 'branch'],
])('%s starts the workflow for %s', async (on, name, kind) => {
  expect(await decideFirst(on)).toMatchObject({ starts: true, ref: { kind, name } })
})

test.each<[on: string, chosen: string, name: string, kind: 'branch' | 'tag']>([
  ["push: { branches: [main, 'release/**'] }", 'release/1', 'release/1', 'branch'],
  ["push: { branches: [main], tags: ['v*'] }", 'v1.2.0', 'v1.2.0', 'tag'],
  ['push:', 'v3.4.5', 'v3.4.5', 'tag'],
  ['push:', 'refs/heads/v3.4.5', 'v3.4.5', 'branch'],
  ["push: { branches: [1.x, '2.0'] }", '2.0', '2.0', 'branch'],
  ['release:', 'refs/tags/docs-9', 'docs-9', 'tag'],
  ['workflow_dispatch:', 'release/1', 'release/1', 'branch'],
])('%s can be played for the ref %s', async (on, ref, name, kind) => {
  expect(await decideFirst(on, { ref })).toMatchObject({ starts: true, ref: { kind, name } })
})

test.each([
  ['push: { branches: [main] }', 'release/1'],
  ['push: { tags: [v*] }', 'refs/heads/v1'],
])('%s does not start for the ref %s, and the filter is named', async (on, ref) => {
  const reason = `the filter in line 2 does not accept ${ref}`
  expect(await decideFirst(on, { ref })).toMatchObject({ starts: false, reason })
})

test('a schedule has no other ref', async () => {
  const on = "schedule: [{ cron: '0 3 * * *' }]"
  await expect(decideFirst(on, { ref: 'v1' })).rejects.toThrow('schedule runs on the default branch')
})

test.each(['push:', 'workflow_dispatch:', "schedule: [{ cron: '0 3 * * *' }]"])(
  '%s starts the workflow for the default branch of the clone',
  async (on) => {
    expect(await decideFirst(on, { defaultBranch: 'trunk' })).toMatchObject({ ref: { name: 'trunk' } })
  },
)

test('one of several crons is chosen', async () => {
  const [trigger] = await readTriggers("schedule: [{ cron: '0 3 * * *' }, { cron: '0 3 * * 1' }]")
  if (trigger === undefined) throw new Error('There is no trigger.')
  expect([chooseCron(trigger, undefined), chooseCron(trigger, '0 3 * * 1')]).toEqual(['0 3 * * *', '0 3 * * 1'])
  expect(() => chooseCron(trigger, '1 1 * * *')).toThrow(
    '`on.schedule` has no cron «1 1 * * *». It has: 0 3 * * *, 0 3 * * 1.',
  )
})

test('the second release has the next version', async () => {
  expect(await decideFirst('release:', { ordinal: 2 })).toMatchObject({ ref: { name: 'v1.3.0' } })
})

const NONE_MATCHES = '`on.push.paths` (line 2) matches none of the changed files: src/deploy.ts, README.md'

test.each([
  ["push: { paths-ignore: ['**'] }", '`on.push.paths-ignore` (line 2) matches all of the changed files'],
  ['push: { paths: [docs/**] }', NONE_MATCHES],
  [
    'push:\n    paths: [src/**]\n    branches-ignore: ["**"]',
    'no branch and no tag was found that the filter in line 4 accepts',
  ],
  ['issue_comment: { types: [deleted] }', '`types` (line 2) leaves out created comments'],
])('%s does not start the workflow: %s', async (on, reason) => {
  expect(await decideFirst(on)).toMatchObject({ starts: false, reason: expect.stringContaining(reason) as unknown })
})

test.each([
  ['packages/*/src/**', 'packages/demo/src/demo.ts'],
  ['docs/index.md', 'docs/index.md'],
  ["'**', '!src/**', '!*.md'", 'demo.ts'],
])('the paths [%s] have the example %s', async (patterns, example) => {
  expect(await decideFirst(`push: { paths: [${patterns}] }`)).toMatchObject({ example })
})

test('a pattern that GitHub does not know is named with its line', async () => {
  await expect(decideFirst('push: { paths: [/src/**] }')).rejects.toThrow(/^The filter in line 2: /)
})

test('the first trigger that can be played is the usual one', async () => {
  const triggers = await readTriggers('pull_request:\n  workflow_dispatch:\n  push:')
  const choose = (...events: Parameters<typeof chooseTriggers>[1]): string[] =>
    chooseTriggers(triggers, events).map(({ event }) => event)
  expect(choose()).toEqual(['workflow_dispatch'])
  expect(choose('push', 'push', 'workflow_dispatch')).toEqual(['push', 'push', 'workflow_dispatch'])
})

test('an event that cannot start the agent is played, so that the error of the step is seen', async () => {
  const [trigger] = chooseTriggers(await readTriggers('check_suite: { types: [completed] }'), [])
  expect(trigger?.event).toBe('check_suite')
  expect(await decideFirst('check_suite:')).toMatchObject({ starts: true, ref: { name: 'main' } })
})

test('an event without a trigger is an error that names the triggers there are', async () => {
  const pullRequest = await readTriggers('pull_request:')
  const has = 'It has: pull_request (line 2, cannot be run here).'
  expect(() => chooseTriggers(pullRequest, [])).toThrow(`No trigger of this file can be run here. ${has}`)
  expect(() => chooseTriggers(pullRequest, ['push'])).toThrow(`This file has no trigger \`push\`. ${has}`)
})
