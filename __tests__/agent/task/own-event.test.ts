import { expect, test } from '@jest/globals'
import { isOwnEvent } from '../../../src/agent/task/own-event.ts'
import { parseEvent } from '../../../src/github/event-payload.ts'
import { RUN_FACTS } from '../../support/fake-github.ts'

const PULL = { repository: 'acme/docs', number: 7, branch: 'agent/guide' }
const ISSUE = { number: 7, pull_request: {} }
const isOwn = (eventName: string, payload: unknown, repository = 'acme/docs'): boolean =>
  isOwnEvent({ ...RUN_FACTS, eventName, payload: parseEvent(eventName, payload), repository }, PULL)

test.each([
  ['pull_request', { pull_request: { number: 7 } }],
  ['push', { ref: 'refs/heads/agent/guide' }],
  ['workflow_run', { workflow_run: { head_branch: 'agent/guide' } }],
  ['deployment_status', { workflow_run: { head_branch: 'agent/guide' } }],
  ['check_suite', { check_suite: { head_branch: 'agent/guide' } }],
  ['check_run', { check_run: { check_suite: { head_branch: 'agent/guide' } } }],
  ['issue_comment', { issue: ISSUE, comment: { body: 'Done.' }, sender: { login: 'x[bot]', type: 'Bot' } }],
])('%s of the pull request itself is its own event', (eventName, payload) => {
  expect(isOwn(eventName, payload)).toBe(true)
  expect(isOwn(eventName, payload, 'acme/code')).toBe(false)
})

test.each([
  ['pull_request', { pull_request: { number: 8 } }],
  ['push', { ref: 'refs/heads/main' }],
  ['create', { ref: 'agent/guide' }],
  ['workflow_run', { workflow_run: { head_branch: 'main' } }],
  ['schedule', { schedule: '0 3 * * 1' }],
  ['issue_comment', { issue: ISSUE, comment: { body: 'Name it otherwise.' }, sender: { login: 'mona', type: 'User' } }],
  ['workflow_dispatch', undefined],
])('%s of something else, or what a person says, is not', (eventName, payload) => {
  expect(isOwn(eventName, payload)).toBe(false)
})
