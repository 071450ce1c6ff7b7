import { expect, test } from '@jest/globals'
import type { Expected } from '../../../scripts/recipes/check.ts'
import { findProblems, listPrompts, type ActualRun } from '../../../scripts/recipes/find-problems.ts'

const actual: ActualRun = {
  isRed: false,
  jobs: ['b: success', 'a: success'],
  outputs: { 'a.docs.outcome': 'pull-request', 'a.docs.model': 'm', 'a.old.pages': '3' },
  prompts: ['new', 'docs-2--failed job_000001'],
  github: ['pulls/get'],
  commands: ['pr merge 4'],
  labels: ['b', 'a'],
  reviewers: ['mona'],
  posted: ['Done.'],
  chat: ['It is ready.'],
  open: [4],
  summary: '## Ready',
  printed: 'Hello.',
  promptTexts: 'Go. Fix it.',
}
const expected: Expected = {
  ...actual,
  jobs: ['a: success', 'b: success'],
  outputs: { outcome: 'pull-request', 'a.old.pages': '3' },
  prompts: ['docs-2--failed job_000001', 'new'],
  labels: ['a', 'b'],
  summary: ['Ready'],
  printed: ['Hello.'],
  promptTexts: ['Fix it.'],
}

test('lists the prompts that the service accepted', () => {
  const sent = (path: string, status = 201, method = 'POST') => ({ path: `/v2/agent/${path}`, status, method })
  expect(
    listPrompts([
      sent('docs-demo/job'),
      sent('docs-demo/job', 429),
      sent('docs-demo/job/job_000001', 200, 'GET'),
      sent('docs-2--failed/job/job_000001/message', 200),
    ]),
  ).toEqual(actual.prompts)
})

test('finds no problems if a run is as expected', () => {
  expect(findProblems(expected, actual)).toEqual([])
})

const LISTS = [
  'jobs',
  'prompts',
  'github',
  'commands',
  'labels',
  'reviewers',
  'open',
  'posted',
  'chat',
  'summary',
  'printed',
  'promptTexts',
]

test('`job_*` matches any job of the same project', () => {
  expect(findProblems({ ...expected, prompts: ['docs-2--failed job_*', 'new'] }, actual)).toEqual([])
  expect(findProblems({ ...expected, prompts: ['docs-3 job_*', 'new'] }, actual)).toHaveLength(1)
})

test.each<[what: string, wrong: Expected]>([
  ['isRed', { isRed: true }],
  ['outcome', { outputs: { outcome: 'failed' } }],
  ['b.docs.outcome', { outputs: { 'b.docs.outcome': 'pull-request' } }],
  ...LISTS.map((name): [string, Expected] => [name, { [name]: ['something else'] }]),
])('names a difference in %s', (what, wrong) => {
  expect(findProblems({ ...expected, ...wrong }, actual)).toEqual([expect.stringMatching(`^${what}: `)])
})

test('by default expects a green run without prompts, commands and messages', () => {
  const problems = findProblems({}, { ...actual, isRed: true }).map((problem) => problem.split(',')[0])
  expect(problems).toEqual(['isRed: wanted false', 'prompts: wanted []', 'commands: wanted []', 'chat: wanted []'])
})
