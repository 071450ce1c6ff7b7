import { expect, test } from '@jest/globals'
import { chooseTriggers, decide, type Decision } from '../../../../scripts/start/workflow/triggers.ts'
import { readWorkflow, type Trigger } from '../../../../scripts/start/workflow/workflow-file.ts'

async function readTriggers(on: string): Promise<readonly Trigger[]> {
  const text = `on:\n  ${on}\njobs:\n  a:\n    runs-on: x\n    steps: [{ run: x }]\n`
  return (await readWorkflow('w.yml', text)).triggers
}

const FILES = ['src/deploy.ts', 'README.md']

/** Decides about the first trigger. */
async function decideFirst(on: string, ordinal = 1): Promise<Decision> {
  const [trigger] = await readTriggers(on)
  if (trigger === undefined) throw new Error('There is no trigger.')
  return decide(trigger, FILES, ordinal)
}

test.each<[on: string, ref: string, kind: 'branch' | 'tag']>([
  ['push:', 'main', 'branch'],
  ['push: { branches: [main, develop] }', 'main', 'branch'],
  ['push: { branches: [develop] }', 'develop', 'branch'],
  ["push: { branches: ['release/**'] }", 'release/demo', 'branch'],
  ["push: { branches: ['**', '!main'] }", 'master', 'branch'],
  ['push: { branches-ignore: [main] }', 'master', 'branch'],
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

test('the second release has the next version', async () => {
  expect(await decideFirst('release:', 2)).toMatchObject({ ref: { name: 'v1.3.0' } })
})

const NONE_MATCHES = '`on.push.paths` (line 2) matches none of the changed files: src/deploy.ts, README.md'

test.each([
  ["push: { paths-ignore: ['**'] }", '`on.push.paths-ignore` (line 2) matches all of the changed files'],
  ['push: { paths: [docs/**] }', NONE_MATCHES],
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
  const has = 'It has: pull_request (line 2, cannot be played here).'
  expect(() => chooseTriggers(pullRequest, [])).toThrow(`No trigger of this file can be played here. ${has}`)
  expect(() => chooseTriggers(pullRequest, ['push'])).toThrow(`This file has no trigger \`push\`. ${has}`)
})
