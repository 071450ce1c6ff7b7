import { expect, test } from '@jest/globals'
import { chooseEvent, decide, type EventName } from '../../../../scripts/start/workflow/triggers.ts'
import { readWorkflow, type Trigger } from '../../../../scripts/start/workflow/workflow-file.ts'

const readTriggers = (on: string): readonly Trigger[] =>
  readWorkflow('w.yml', `on:\n  ${on}\njobs:\n  a:\n    runs-on: x\n    steps: [{ run: x }]\n`).triggers

const FILES = ['src/deploy.ts', 'README.md']

test.each<[on: string, event: EventName, ref: string, kind: 'branch' | 'tag']>([
  ['push:', 'push', 'main', 'branch'],
  ['push: { branches: [main, develop] }', 'push', 'main', 'branch'],
  ['push: { branches: [develop] }', 'push', 'develop', 'branch'],
  ["push: { branches: ['release/**'] }", 'push', 'release/demo', 'branch'],
  ["push: { branches: ['**', '!main'] }", 'push', 'master', 'branch'],
  ['push: { branches-ignore: [main] }', 'push', 'master', 'branch'],
  ["push: { tags: ['v*'] }", 'push', 'v1.2.0', 'tag'],
  ["push: { tags: ['docs-*'] }", 'push', 'docs-1.2.0', 'tag'],
  ["push: { branches: [main], tags: ['v*'] }", 'push', 'main', 'branch'],
  ['push: { paths: [src/**] }', 'push', 'main', 'branch'],
  ["push: { paths: ['**', '!docs/**'] }", 'push', 'main', 'branch'],
  ["push: { paths-ignore: ['*.md'] }", 'push', 'main', 'branch'],
  ["push: { tags: ['v*'], paths: [docs/**] }", 'push', 'v1.2.0', 'tag'],
  ["schedule: [{ cron: '0 3 * * *' }]", 'schedule', 'main', 'branch'],
  ['release: { types: [released] }', 'release', 'v1.2.0', 'tag'],
  ['issue_comment: { types: [created] }', 'issue_comment', 'main', 'branch'],
])('with %s, a %s starts the workflow for %s', (on, event, name, kind) => {
  expect(decide(readTriggers(on), event, FILES, 1)).toMatchObject({ starts: true, ref: { kind, name } })
})

test('the second release has the next version', () => {
  expect(decide(readTriggers('release:'), 'release', FILES, 2)).toMatchObject({ ref: { name: 'v1.3.0' } })
})

const NONE_MATCHES = '`on.push.paths` (line 2) matches none of the changed files: src/deploy.ts, README.md'

test.each([
  ["push: { paths-ignore: ['**'] }", 'push', '`on.push.paths-ignore` (line 2) matches all of the changed files'],
  ['push:', 'schedule', 'it has no trigger `schedule`. It has: push (line 2)'],
  ['pull_request:', 'push', 'It has: pull_request (line 2, cannot be played here)'],
  ['issue_comment: { types: [deleted] }', 'issue_comment', '`types` (line 2) leaves out created comments'],
  ['push: { paths: [docs/**] }', 'push', NONE_MATCHES],
] as const)('with %s, a %s does not start the workflow: %s', (on, event, reason) => {
  const wanted = { starts: false, reason: expect.stringContaining(reason) as unknown }
  expect(decide(readTriggers(on), event, FILES, 1)).toMatchObject(wanted)
})

test.each([
  ['packages/*/src/**', 'packages/demo/src/demo.ts'],
  ['docs/index.md', 'docs/index.md'],
  ["'**', '!src/**', '!*.md'", 'demo.ts'],
])('the paths [%s] have the example %s', (patterns, example) => {
  expect(decide(readTriggers(`push: { paths: [${patterns}] }`), 'push', FILES, 1)).toMatchObject({ example })
})

test('a pattern that GitHub does not know is named with its line', () => {
  expect(() => decide(readTriggers('push: { paths: [/src/**] }'), 'push', FILES, 1)).toThrow(/^The filter in line 2: /)
})

test('the first trigger that can be played is the usual event', () => {
  expect(chooseEvent(readTriggers('pull_request:\n  workflow_dispatch:\n  push:'))).toBe('workflow_dispatch')
  expect(() => chooseEvent(readTriggers('pull_request:'))).toThrow(
    'No trigger of this file can be played here. It has: pull_request (line 2, cannot be played here).',
  )
})
