import { expect, test } from '@jest/globals'
import { judge, promptsIn } from '../../../scripts/recipes/judge.mjs'

const result = {
  exitCode: 0,
  log: '',
  text: '',
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
  open: [4],
  pullRequestChecks: [['links: success']],
}

test('the prompts are the requests that the service took', () => {
  expect(promptsIn(serviceLog)).toEqual(['POST job', 'POST docs-2--failed job/job_000001/message'])
})

test('a run that is as it must be has no problems', () => {
  const expected = {
    conclusion: 'success',
    jobs: ['a: success', 'b: success'],
    outputs: { 'a.docs.outcome': 'pull-request' },
    prompts: ['POST docs-2--failed job/job_000001/message', 'POST job'],
    github: ['pulls/get'],
    commands: ['pr merge 4'],
    summary: ['Ready'],
    told: ['Mend it.'],
    labels: ['a', 'b'],
    open: [4],
    pullRequestChecks: [['links: success']],
  } as const
  expect(judge(expected, result, seen)).toEqual([])
})

test('everything that is not as it must be is named', () => {
  const expected = {
    conclusion: 'failure',
    jobs: ['a: success'],
    outputs: { 'a.docs.outcome': 'failed', 'c.docs.outcome': 'failed' },
    prompts: [],
    github: [],
    summary: ['Failed'],
    told: ['Begin anew.'],
    labels: [],
    open: [4, 5],
  } as const
  const problems = judge(expected, result, seen).map((problem) => problem.split(':', 1)[0])
  expect(problems).toEqual([
    'conclusion',
    'jobs',
    'a.docs.outcome',
    'c.docs.outcome',
    'prompts',
    'asked of GitHub',
    'commands of gh',
    'summary',
    'told to the agent',
    'labels',
    'open pull requests',
    'checks of the pull request',
  ])
})
