import { CHANGE_CHECKS } from './change-checks.ts'
import type { Checks } from './check.ts'
import { COMMENT_CHECKS } from './comment-checks.ts'
import { NO_KEY } from './scenarios.ts'
import { FLEET_CHECKS } from './fleet-checks.ts'
import { FIX_ROUND_CHECKS } from './fix-round-checks.ts'
import { REPORT_CHECKS } from './report-checks.ts'
import { ROLLING_CHECKS } from './rolling-checks.ts'
import { VISITED_CHECKS } from './visited-checks.ts'

const WRITE = { inputs: { prompt: 'Document the --dry-run flag.' } }

export const CHECKS: Checks = {
  ...CHANGE_CHECKS,
  ...ROLLING_CHECKS,
  ...FIX_ROUND_CHECKS,
  ...COMMENT_CHECKS,
  ...FLEET_CHECKS,
  ...VISITED_CHECKS,
  ...REPORT_CHECKS,
  'docs/recipes/follow-up.yml': {
    'the second instruction goes to the job of the first one, but not if that fails or changes nothing': {
      ...WRITE,
      runs: [
        { secrets: 'withheld', isRed: true, outputs: { 'docs.write.outcome': 'error' } },
        {
          outputs: { 'docs.write.outcome': 'pull-request', 'docs.check.outcome': 'pull-request' },
          prompts: ['new', 'job_000001'],
          summary: ['The pull request is open', 'It has new commits.'],
        },
        { vars: { DOCS_AGENT_PROJECT_ID: 'docs--no-changes' }, prompts: ['docs--no-changes new'] },
        { vars: { DOCS_AGENT_PROJECT_ID: 'docs--failed' }, isRed: true, prompts: ['docs--failed new'] },
      ],
    },
  },
  'docs/recipes/attach-later.yml': {
    'a run starts the job and does not wait': {
      vars: { DOCS_AGENT_PROJECT_ID: 'docs--slow' },
      ...WRITE,
      runs: [{ jobs: ['start: success'], outputs: { outcome: 'submitted' }, prompts: ['docs--slow new'] }],
    },
  },
  'docs/recipes/attach.yml': {
    'a run waits for the job and marks its pull request with the given label, even after a red run': {
      runs: [
        { ...NO_KEY, inputs: { 'job-id': 'job_running', label: 'docs-agent-rolling' } },
        {
          inputs: { 'job-id': 'job_running', label: 'docs-agent-rolling' },
          jobs: ['attach: success'],
          outputs: { outcome: 'pull-request', 'job-id': 'job_running' },
          labels: ['docs-agent-rolling'],
        },
      ],
    },
  },
  'docs/recipes/long-job.yml': {
    'one workflow job starts the agent and the other waits for it, and a re-run of all jobs starts another agent job': {
      ...WRITE,
      runs: [
        {
          jobs: ['start: success', 'finish: success'],
          outputs: { 'start.docs.outcome': 'submitted', 'finish.docs.outcome': 'pull-request' },
          prompts: ['new'],
        },
        { outputs: { 'finish.docs.job-id': 'job_000002' }, prompts: ['new'] },
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
            'rehearse(pull-request, flaky, success): success',
            'rehearse(pull-request, pull-request, success): success',
            'rehearse(0.2, timed-out, slow, failure): success',
            'rehearse(checks-fail, pull-request, pull-request, failure): success',
            'rehearse(checks-fixed, job_finished, pull-request, pull-request, success): success',
            'rehearse(out-of-scope, pull-request, pull-request, failure): success',
          ],
          outputs: {
            'rehearse(0.2, timed-out, slow, failure).docs.outcome': 'timed-out',
            'rehearse(checks-fail, pull-request, pull-request, failure).docs.checks': 'failure',
            'rehearse(out-of-scope, pull-request, pull-request, failure).docs.in-scope': 'false',
            'rehearse(checks-fixed, job_finished, pull-request, pull-request, success).docs.checks': 'success',
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
