import type { Context } from '../src/action/step.ts'
import { parseEvent } from '../src/github/event.ts'
import { commit } from './github-state.ts'

/** A run with the raw payload of its event. */
export interface GivenRun extends Context {
  readonly payload: unknown
}

/** Returns the run with the event that its payload describes. */
export const readRun = (run: GivenRun): GivenRun => ({
  ...run,
  event: parseEvent(run.eventName, run.payload, run.actor),
})

export const RUN_FACTS: GivenRun = {
  eventName: 'workflow_dispatch',
  payload: {},
  event: parseEvent('workflow_dispatch', {}, 'ann'),
  actor: 'ann',
  sha: commit('b'),
  refName: 'main',
  repository: 'acme/docs',
  runId: 42,
  runAttempt: 1,
  workflowJob: 'docs',
  stepId: 'agent',
  runnerStepId: 'agent',
  workflow: 'docs.yml',
  serverUrl: 'https://github.com',
  apiUrl: 'https://api.github.com',
  isRehearsal: false,
}

export const PUSH = {
  ref: 'refs/heads/main',
  before: commit('a'),
  after: commit('b'),
  repository: { default_branch: 'main' },
  commits: [{ id: commit('b'), author: { username: 'ann' }, committer: { username: 'ann' } }],
  sender: { login: 'ann', type: 'User' },
}
