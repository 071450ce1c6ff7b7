import { expect, test } from '@jest/globals'
import type { Expected } from '../../../scripts/recipes/check.ts'
import { judge, promptsIn } from '../../../scripts/recipes/judge.ts'

const result = {
  exitCode: 0,
  log: '',
  text: 'Hello.',
  jobs: ['b: success', 'a: success'],
  outputs: { 'a.docs.outcome': 'pull-request', 'a.docs.model': 'm' },
  summary: '## Ready',
  logs: {},
}
const serviceLog = [
  'POST /v2/agent/docs-demo/job -> 201 (pull-request)',
  'POST /v2/agent/docs-demo/job -> 429 (rate-limited)',
  'GET /v2/agent/docs-demo/job/job_000001 -> 200 (pull-request)',
  'POST /v2/agent/docs-2--failed/job/job_000001/message -> 200 (failed)',
]
const seen = {
  serviceLog,
  github: ['pulls/get'],
  commands: ['pr merge 4'],
  told: 'Go. Mend it.',
  labels: ['b', 'a'],
  reviewers: ['mona'],
  open: [4],
}
const asItIs: Expected = {
  jobs: ['a: success', 'b: success'],
  outputs: { 'a.docs.outcome': 'pull-request' },
  prompts: ['docs-2--failed job_000001', 'new'],
  github: ['pulls/get'],
  commands: ['pr merge 4'],
  summary: ['Ready'],
  printed: ['Hello.'],
  told: ['Mend it.'],
  labels: ['a', 'b'],
  reviewers: ['mona'],
  open: [4],
}

test('the prompts are the requests that the service took', () => {
  expect(promptsIn(serviceLog)).toEqual(['new', 'docs-2--failed job_000001'])
})

test('a run that is as it must be has no problems', () => {
  expect(judge(asItIs, result, seen)).toEqual([])
})

test.each<[what: string, wrong: Expected]>([
  ['red', { isRed: true }],
  ['jobs', { jobs: ['a: success'] }],
  ['a.docs.outcome', { outputs: { 'a.docs.outcome': 'failed' } }],
  ['c.docs.outcome', { outputs: { 'c.docs.outcome': 'failed' } }],
  ['prompts', { prompts: ['new'] }],
  ['asked of GitHub', { github: [] }],
  ['commands of gh', { commands: [] }],
  ['summary', { summary: ['Failed'] }],
  ['printed', { printed: ['Bye.'] }],
  ['told to the agent', { told: ['Begin anew.'] }],
  ['labels', { labels: [] }],
  ['reviewers', { reviewers: [] }],
  ['open pull requests', { open: [4, 5] }],
])('what is not as it must be is named: %s', (what, wrong) => {
  expect(judge({ ...asItIs, ...wrong }, result, seen)).toEqual([expect.stringMatching(`^${what}: `)])
})

test('where nothing is said of them, there are no prompts and no commands', () => {
  expect(judge({}, result, seen)).toEqual([
    expect.stringMatching(/^prompts: wanted \[\]/),
    expect.stringMatching(/^commands of gh: wanted \[\]/),
  ])
})
