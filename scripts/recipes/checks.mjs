import { COMMENT_CHECKS } from './comment-checks.mjs'
import { NO_KEY } from './courses.mjs'
import { FLEET_CHECKS } from './fleet-checks.mjs'
import { GITHUB_CHECKS } from './github-checks.mjs'
import { MENDING_CHECKS } from './mending-checks.mjs'
import { ROLLING_CHECKS } from './rolling-checks.mjs'
import { UPKEEP_CHECKS } from './upkeep-checks.mjs'

/**
 * What must come of each recipe. A recipe may have many checks, and has at least one.
 *
 * @typedef {object} Run
 * @property {'workflow_dispatch' | 'repository_dispatch' | 'schedule' | 'push' | 'pull_request' | 'release' | 'issue_comment' | 'pull_request_review'} [eventName] by default a manual run
 * @property {Record<string, unknown> | ((github: import('../../src/emulator/github/state.ts').GitHubState) => Record<string, unknown>)} [event]
 *   its payload, or what happens on GitHub and gives it
 * @property {Record<string, string>} [inputs] of a manual run
 * @property {Record<string, string>} [vars] besides the address and the project, or in their place
 * @property {'given' | 'withheld'} [secrets] whether the run gets any; by default it does, whatever the first one does
 * @property {'real' | 'tenfold'} [time] whether the steps' clocks and timers run ten times as fast, as they do by default
 * @property {string} [cancelAt] a text in the log; the run is cancelled when it comes
 * @property {readonly string[]} [matrix] which jobs of a matrix to run
 * @property {Expected} expected
 *
 * @typedef {object} Setting
 * @property {string} name a sentence about behaviour
 * @property {import('../../src/emulator/service/scenarios.ts').ScenarioName} [scenario] of the service, by default `pull-request`
 * @property {GitHubSetting} [github] by default the token may do nothing, as with `permissions: {}`
 * @property {readonly import('./temporary-repositories.mjs').Commit[]} [history] of the repository that the workflow is in,
 *   oldest commit first
 * @property {boolean} [packages] whether the steps fetch packages
 * @property {readonly (Partial<Run> & Pick<Run, 'expected'>)[]} [then] the runs after the first one, each as far as it differs from that
 *
 * @typedef {Run & Setting} Check
 *
 * @typedef {object} Expected
 * @property {'success' | 'failure'} conclusion of the run
 * @property {readonly string[]} [jobs] each with its result, in any order
 * @property {Record<string, string>} [outputs] as `job.step.output`; others may be there too
 * @property {readonly string[]} prompts the requests that cost credits, in order, as `POST job`; those to other projects with their id
 * @property {readonly string[]} [github] the operations that GitHub's API was asked for, in order
 * @property {readonly string[]} [commands] what GitHub's command line was asked, in order, with `<head>` for the commit of the
 *   pull request; by default nothing
 * @property {readonly string[]} [summary] texts of the summary
 * @property {readonly string[]} [told] texts that the prompts must hold
 * @property {readonly string[]} [labels] of all pull requests, in any order
 * @property {readonly number[]} [open] the open pull requests of the docs, when the run has ended: those that carry a label or that a new job opened
 * @property {readonly (readonly string[])[]} [pullRequestChecks] for each head of the pull request, its jobs with their ends
 *
 * @typedef {object} GitHubSetting
 * @property {import('../../src/emulator/github/state.ts').Permissions} permissions
 * @property {readonly import('../../src/emulator/github/github-scenarios.ts').GitHubScenarioName[]} [scenarios] what happens there
 * @property {string} [from] the repository that the workflow is in, by default `acme/docs`
 * @property {Record<string, import('../../src/emulator/github/repository-state.ts').RepositoryState>} [repositories] in place of the usual
 *   ones
 * @property {import('../../src/emulator/github/github-scenarios.ts').GitHubScenario['checks']} [plan] the checks of the agent's first push, of the
 *   second, ...; the last ones stay
 * @property {string} [checks] a workflow that really runs on the files of each head of the agent's pull request
 * @property {(prompt: string) => readonly import('../../src/emulator/github/repository-state.ts').FileChange[]} [edits] what the agent
 *   makes of a prompt
 */

/** @type {Readonly<Record<string, readonly Check[]>>} */
export const CHECKS = {
  ...GITHUB_CHECKS,
  ...FLEET_CHECKS,
  ...ROLLING_CHECKS,
  ...COMMENT_CHECKS,
  ...MENDING_CHECKS,
  ...UPKEEP_CHECKS,
  'docs/recipes/improve-most-read-pages.yml': [
    {
      name: 'the pages that were read most get into the instruction, and the agent is asked once until that is merged',
      github: { permissions: { 'pull-requests': 'write' } },
      expected: {
        conclusion: 'success',
        outputs: {
          'improve.visitors.complete': 'true',
          'improve.instruction.pages': '5',
          'improve.docs.outcome': 'pull-request',
        },
        prompts: ['POST job'],
        summary: ['The pull request is ready'],
        told: ['read most in the last 30 days:\n- /'],
        labels: ['docs-agent-most-read'],
      },
      then: [NO_KEY, { expected: { conclusion: 'success', prompts: [], open: [4] } }],
    },
    {
      name: 'paths that are more than paths get into no instruction, and without any the agent is not asked',
      vars: { DOCS_AGENT_PROJECT_ID: 'docs--hostile' },
      expected: {
        conclusion: 'success',
        outputs: { 'improve.visitors.rows': '30', 'improve.instruction.pages': '0' },
        prompts: [],
      },
    },
  ],
  'docs/recipes/follow-up.yml': [
    {
      name: 'the second instruction goes to the job of the first one',
      inputs: { prompt: 'Document the --dry-run flag.' },
      expected: {
        conclusion: 'success',
        outputs: {
          'docs.write.outcome': 'pull-request',
          'docs.write.job-id': 'job_000001',
          'docs.check.outcome': 'pull-request',
          'docs.check.job-id': 'job_000001',
        },
        prompts: ['POST job', 'POST job/job_000001/message'],
        summary: ['Pull request opened', 'Pull request may have changed'],
      },
    },
    {
      name: 'where the first instruction changed nothing, no second one is sent',
      inputs: { prompt: 'Document the --dry-run flag.' },
      vars: { DOCS_AGENT_PROJECT_ID: 'docs--no-changes' },
      expected: {
        conclusion: 'success',
        outputs: { 'docs.write.outcome': 'no-changes' },
        prompts: ['POST docs--no-changes job'],
      },
    },
    {
      name: 'an agent that fails makes the run red',
      inputs: { prompt: 'Document the --dry-run flag.' },
      vars: { DOCS_AGENT_PROJECT_ID: 'docs--failed' },
      expected: {
        conclusion: 'failure',
        outputs: { 'docs.write.outcome': 'failed' },
        prompts: ['POST docs--failed job'],
      },
    },
    {
      name: 'without secrets nothing is sent, and the run is red',
      inputs: { prompt: 'Document the --dry-run flag.' },
      secrets: 'withheld',
      expected: { conclusion: 'failure', outputs: { 'docs.write.outcome': 'error' }, prompts: [] },
    },
  ],
  'docs/recipes/attach-later.yml': [
    {
      name: 'a run with a prompt starts the job and leaves',
      inputs: { prompt: 'Document the --dry-run flag.' },
      vars: { DOCS_AGENT_PROJECT_ID: 'docs--slow' },
      expected: {
        conclusion: 'success',
        jobs: ['start: success'],
        outputs: { 'start.docs.outcome': 'submitted', 'start.docs.job-id': 'job_000001' },
        prompts: ['POST docs--slow job'],
      },
    },
    {
      name: 'a run with a job attaches to it and sends nothing, also after a red one',
      inputs: { 'job-id': 'job_running' },
      ...NO_KEY,
      then: [
        {
          expected: {
            conclusion: 'success',
            jobs: ['attach: success'],
            outputs: { 'attach.docs.outcome': 'pull-request', 'attach.docs.job-id': 'job_running' },
            prompts: [],
          },
        },
      ],
    },
  ],
  'docs/recipes/rehearse.yml': [
    {
      name: 'every scenario ends as the matrix expects, and nothing reaches a real service',
      time: 'real',
      expected: {
        conclusion: 'success',
        jobs: [
          'rehearse(failed, failed, failure): success',
          'rehearse(no-changes, no-changes, success): success',
          'rehearse(pull-request, flaky, success): success',
          'rehearse(pull-request, pull-request, success): success',
          'rehearse(0.2, timed-out, slow, failure): success',
          'rehearse(checks-fail, pull-request, pull-request, failure): success',
          'rehearse(checks-mended, job_finished, pull-request, pull-request, success): success',
          'rehearse(out-of-scope, pull-request, pull-request, failure): success',
        ],
        outputs: {
          'rehearse(failed, failed, failure).docs.outcome': 'failed',
          'rehearse(0.2, timed-out, slow, failure).docs.outcome': 'timed-out',
          'rehearse(pull-request, pull-request, success).docs.checks': 'success',
          'rehearse(checks-fail, pull-request, pull-request, failure).docs.checks': 'failure',
          'rehearse(out-of-scope, pull-request, pull-request, failure).docs.in-scope': 'false',
          'rehearse(checks-mended, job_finished, pull-request, pull-request, success).docs.checks': 'success',
        },
        prompts: [],
      },
    },
  ],
  'docs/migrating.md': [
    {
      name: 'on a good day the script and the step that takes its place end alike',
      expected: {
        conclusion: 'success',
        outputs: {
          'steps.0.pr': '<service>/acme/docs/pull/4',
          'steps.docs.pr-link': '<service>/acme/docs/pull/5',
          'steps.docs.job-id': 'job_000002',
          'steps.docs.status': 'completed',
          'steps.docs.outcome': 'pull-request',
          'steps.docs.changed': 'true',
        },
        prompts: ['POST docs job', 'POST docs job'],
      },
    },
    {
      name: 'if the agent fails, the script is green with no pull request, and the step is red',
      scenario: 'failed',
      expected: {
        conclusion: 'failure',
        outputs: { 'steps.0.pr': 'null', 'steps.docs.outcome': 'failed', 'steps.docs.pr-link': '' },
        prompts: ['POST docs job', 'POST docs job'],
      },
    },
    {
      name: 'if one read fails, the script is green with no pull request, and the step reads again',
      scenario: 'flaky',
      expected: {
        conclusion: 'success',
        outputs: { 'steps.0.pr': 'null', 'steps.docs.outcome': 'pull-request' },
        prompts: ['POST docs job', 'POST docs job'],
      },
    },
    {
      name: 'if the service refuses the prompt, the script is green, and the step is red',
      scenario: 'unavailable',
      expected: {
        conclusion: 'failure',
        outputs: { 'steps.0.pr': 'null', 'steps.docs.outcome': 'error' },
        prompts: [],
      },
    },
  ],
  '.github/workflows/self-test.yml': [
    {
      name: 'the workflow that tests the actions on real runners passes',
      time: 'real',
      matrix: ['os:ubuntu-latest'],
      expected: { conclusion: 'success', prompts: [] },
    },
  ],
}

/**
 * Recipes that are run elsewhere, each with where.
 *
 * @type {Readonly<Record<string, string>>}
 */
export const RUN_ELSEWHERE = {
  'docs/recipes/docs-checks.yml': 'it runs on both heads of the pull request of docs/recipes/fix-checks.yml',
}
