import { madeCommit } from '../../__tests__/support/github-state.ts'
import { repositoryState } from '../../src/emulator/github/state.ts'

/**
 * One picture: a run, and how much of its summary to show.
 *
 * @typedef {object} Shot
 * @property {string} name of its files, without `-light.png` and `-dark.png`
 * @property {'.' | 'visitors'} action
 * @property {import('../../src/emulator/scenarios.ts').ScenarioName} scenario of the embedded service
 * @property {Record<string, string>} inputs besides those that say where the service is
 * @property {'success' | 'failure'} conclusion that the run must have
 * @property {number} faster how many times as fast as in life the run goes, the service and the step alike
 * @property {string} [until] the heading before which the picture ends; by default it shows the whole summary
 * @property {import('../../src/emulator/github/state.ts').RepositoryState} [repository] what GitHub knows of
 *   `acme/docs`; without it the step has no token
 * @property {unknown} [push] the payload of the push that started the run; without it somebody started it
 */

const PROMPT = 'Document the new `--dry-run` flag of the deploy command.'
const BEFORE = '7b20e6f4c95d18a3'.padEnd(40, '0')
const AFTER = 'c3819fa05e7d42b6'.padEnd(40, '0')

/** @type {readonly Shot[]} */
export const SHOTS = [
  {
    name: 'summary',
    action: '.',
    scenario: 'pull-request',
    inputs: {
      prompt: PROMPT,
      'change-context': 'files',
      'wait-for-checks': 'true',
      'allowed-paths': 'docs/**',
    },
    conclusion: 'success',
    faster: 20,
    until: 'Time line',
    repository: repositoryState({
      commits: [
        madeCommit({ sha: BEFORE }),
        madeCommit({
          ...{ sha: AFTER, parents: [BEFORE], message: 'Add --dry-run to deploy' },
          files: [{ filename: 'src/deploy.ts', additions: 34, deletions: 2 }],
        }),
      ],
      branches: { main: AFTER },
    }),
    push: {
      ref: 'refs/heads/main',
      before: BEFORE,
      after: AFTER,
      repository: { default_branch: 'main' },
      commits: [{ id: AFTER }],
    },
  },
  {
    name: 'failed',
    action: '.',
    scenario: 'failed',
    inputs: { prompt: PROMPT },
    conclusion: 'failure',
    faster: 20,
    until: 'Time line',
  },
  {
    name: 'timed-out',
    action: '.',
    scenario: 'slow',
    inputs: { prompt: PROMPT, 'timeout-minutes': '10' },
    conclusion: 'failure',
    faster: 60,
    until: 'Time line',
  },
  {
    name: 'may-exist',
    action: '.',
    scenario: 'lost-answer',
    inputs: { prompt: PROMPT },
    conclusion: 'failure',
    faster: 20,
  },
  {
    name: 'visitors',
    action: 'visitors',
    scenario: 'pull-request',
    inputs: { days: '30', top: '5' },
    conclusion: 'success',
    faster: 1,
    until: 'The export',
  },
]
