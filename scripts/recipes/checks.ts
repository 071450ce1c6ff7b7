import { CHANGE_CHECKS } from './change-checks.ts'
import type { Checks } from './check.ts'
import { COMMENT_CHECKS } from './comment-checks.ts'
import { FLEET_CHECKS } from './fleet-checks.ts'
import { FIX_ROUND_CHECKS } from './fix-round-checks.ts'
import { ROLLING_CHECKS } from './rolling-checks.ts'
import { VISITED_CHECKS } from './visited-checks.ts'

export const CHECKS: Checks = {
  ...CHANGE_CHECKS,
  ...ROLLING_CHECKS,
  ...FIX_ROUND_CHECKS,
  ...COMMENT_CHECKS,
  ...FLEET_CHECKS,
  ...VISITED_CHECKS,
  'docs/recipes/attach.yml': {
    'a run waits for the job and marks its pull request with the given label, also in another repository': {
      runs: [
        {
          inputs: { 'job-id': 'job_running', label: 'docs-agent-weekly', repository: '' },
          jobs: ['attach: success'],
          outputs: { outcome: 'pull-request', 'job-id': 'job_running' },
          labels: ['docs-agent-weekly'],
        },
        {
          from: 'acme/code',
          inputs: { 'job-id': 'job_finished', label: 'docs-of-code', repository: 'docs' },
          outputs: { outcome: 'pull-request', 'job-id': 'job_finished' },
          labels: ['docs-agent-weekly', 'docs-of-code'],
        },
      ],
    },
  },
  'docs/recipes/rehearse.yml': {
    'every scenario ends as the matrix expects, without a key, and nothing reaches a real service': {
      isRealTime: true,
      runs: [
        {
          secrets: 'withheld',
          jobs: [
            'rehearse(failed, failed, failure): success',
            'rehearse(no-changes, no-changes, success): success',
            'rehearse(pull-request, pull-request, success): success',
            'rehearse(0.2, timed-out, slow, failure): success',
            'rehearse(checks-fail, pull-request, pull-request, failure): success',
            'rehearse(out-of-scope, pull-request, pull-request, failure): success',
          ],
          outputs: {
            'rehearse(0.2, timed-out, slow, failure).docs.outcome': 'timed-out',
            'rehearse(checks-fail, pull-request, pull-request, failure).docs.checks': 'failure',
            'rehearse(out-of-scope, pull-request, pull-request, failure).docs.in-scope': 'false',
          },
        },
      ],
    },
  },
  'docs/migrating.md': {
    'if nothing fails, the script and the step that replaces it have the same result': {
      runs: [
        {
          outputs: { 'steps.0.pr': '<service>/acme/docs/pull/4', 'pr-link': '<service>/acme/docs/pull/5' },
          prompts: ['docs new', 'docs new'],
        },
      ],
    },
    'if the agent fails, the script is green with no pull request, and the step is red': {
      scenario: 'failed',
      runs: [{ isRed: true, outputs: { 'steps.0.pr': 'null', 'pr-link': '' }, prompts: ['docs new', 'docs new'] }],
    },
    'if one read fails, the script is green with no pull request, and the step reads again': {
      scenario: 'flaky',
      runs: [{ outputs: { 'steps.0.pr': 'null', outcome: 'pull-request' }, prompts: ['docs new', 'docs new'] }],
    },
    'if the service refuses the prompt, the script is green, and the step is red': {
      scenario: 'unavailable',
      runs: [{ isRed: true, outputs: { 'steps.0.pr': 'null', outcome: 'error' } }],
    },
  },
  '.github/workflows/self-test.yml': {
    'the workflow that tests the actions on real runners passes': {
      eventName: 'workflow_dispatch',
      isRealTime: true,
      matrix: ['os:ubuntu-latest'],
      runs: [{}],
    },
  },
}
