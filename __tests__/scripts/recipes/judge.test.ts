import { expect, test } from '@jest/globals'
import type { Expected } from '../../../scripts/recipes/check.ts'
import { judge, promptsIn, type Came } from '../../../scripts/recipes/judge.ts'

const came: Came = {
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
  told: 'Go. Mend it.',
}
const asItIs: Expected = {
  ...came,
  jobs: ['a: success', 'b: success'],
  outputs: { outcome: 'pull-request', 'a.old.pages': '3' },
  prompts: ['docs-2--failed job_000001', 'new'],
  labels: ['a', 'b'],
  summary: ['Ready'],
  printed: ['Hello.'],
  told: ['Mend it.'],
}

test('the prompts are the requests that the service took', () => {
  const sent = (path: string, status = 201, method = 'POST') => ({ path: `/v2/agent/${path}`, status, method })
  expect(
    promptsIn([
      sent('docs-demo/job'),
      sent('docs-demo/job', 429),
      sent('docs-demo/job/job_000001', 200, 'GET'),
      sent('docs-2--failed/job/job_000001/message', 200),
    ]),
  ).toEqual(came.prompts)
})

test('a run that is as it must be has no problems', () => {
  expect(judge(asItIs, came)).toEqual([])
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
  'told',
]

test('the number of a job does not matter where any job is expected, and its project does', () => {
  expect(judge({ ...asItIs, prompts: ['docs-2--failed job_*', 'new'] }, came)).toEqual([])
  expect(judge({ ...asItIs, prompts: ['docs-3 job_*', 'new'] }, came)).toHaveLength(1)
})

test.each<[what: string, wrong: Expected]>([
  ['isRed', { isRed: true }],
  ['outcome', { outputs: { outcome: 'failed' } }],
  ['b.docs.outcome', { outputs: { 'b.docs.outcome': 'pull-request' } }],
  ...LISTS.map((name): [string, Expected] => [name, { [name]: ['something else'] }]),
])('what is not as it must be is named: %s', (what, wrong) => {
  expect(judge({ ...asItIs, ...wrong }, came)).toEqual([expect.stringMatching(`^${what}: `)])
})

test('where nothing is said of them, a run is green, without prompts, commands and messages', () => {
  const named = judge({}, { ...came, isRed: true }).map((problem) => problem.split(',')[0])
  expect(named).toEqual(['isRed: wanted false', 'prompts: wanted []', 'commands: wanted []', 'chat: wanted []'])
})
