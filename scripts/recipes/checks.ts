import { CHANGE_CHECKS } from './change-checks.ts'
import type { Checks } from './check.ts'
import { COMMENT_CHECKS } from './comment-checks.ts'
import { FIX_ROUND_CHECKS } from './fix-round-checks.ts'
import { MANY_REPOSITORIES_CHECKS } from './many-repositories-checks.ts'
import { REPORT_CHECKS } from './report-checks.ts'
import { ROLLING_CHECKS } from './rolling-checks.ts'
import { VISITED_CHECKS } from './visited-checks.ts'

export const CHECKS: Checks = {
  ...CHANGE_CHECKS,
  ...ROLLING_CHECKS,
  ...FIX_ROUND_CHECKS,
  ...COMMENT_CHECKS,
  ...MANY_REPOSITORIES_CHECKS,
  ...VISITED_CHECKS,
  ...REPORT_CHECKS,
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
  '.github/workflows/self-test.yml': {
    'the workflow that tests the actions on real runners passes': {
      eventName: 'workflow_dispatch',
      isRealTime: true,
      matrix: ['os:ubuntu-latest'],
      runs: [{}],
    },
  },
}
