import { expect, test } from '@jest/globals'
import { describeBaseMovedByRange, describeMovedBase } from '../../../src/agent/change/change-range.ts'
import { PUSH, readRun, RUN_FACTS, type GivenRun } from '../../support/fake-github.ts'
import { agentInputs } from '../../support/fake-step.ts'
import type { Given, GivenEvent } from '../../support/look-at-change.ts'

const SINCE = { 'change-range': ' since-last-success\n' }
const FILES = { 'change-context': 'files' }
const DOCS = { paths: 'docs/**' }
const BETWEEN = { 'change-range': 'v1...v2', ...FILES }
const PUSHED: GivenEvent = ['push', PUSH]
const SCHEDULE: GivenEvent = ['schedule']
const PULL: GivenEvent = ['pull_request', { pull_request: { number: 7 } }]
const TAG: GivenEvent = ['push', { ...PUSH, ref: 'refs/tags/v1' }]
const DEPENDABOT: Partial<GivenRun> = { actor: 'dependabot[bot]' }

test.each<[what: string, event: GivenEvent, given: Given, moves: boolean, facts?: Partial<GivenRun>]>([
  ['a push that looks back', PUSHED, SINCE, true],
  ['a push with its own range', PUSHED, FILES, false],
  ['a push with a range by name', PUSHED, BETWEEN, false],
  ['a push of Dependabot, to which no run looks back', PUSHED, SINCE, false, DEPENDABOT],
  ['a tag, to which no run looks back', TAG, SINCE, false],
  ['a pull request, to which no run looks back', PULL, SINCE, false],
  ['a schedule with a range of its own accord', SCHEDULE, FILES, true],
  ['a schedule with paths', SCHEDULE, DOCS, true],
  ['a schedule with ignored paths', SCHEDULE, { 'paths-ignore': 'docs/**' }, true],
  ['a schedule with labels to skip', SCHEDULE, { 'skip-labels': 'no-docs' }, true],
  ['a schedule without a range', SCHEDULE, { 'change-context': ' none ' }, false],
  ['a manual run', ['workflow_dispatch'], DOCS, true],
  ['a comment, to which no run looks back', ['issue_comment'], SINCE, false],
])('without a key the base moves by %s', (_what, [eventName, payload = {}], given, moves, facts = {}) => {
  const moved = describeMovedBase(given, readRun({ ...RUN_FACTS, ...facts, eventName, payload }))
  expect(moved).toEqual(moves ? expect.stringContaining('no later run sends what changed before') : undefined)
})

const REQUESTED = { 'change-range': 'pull/12' }
const DISPATCH: GivenEvent = ['repository_dispatch']
const ORDER: GivenEvent = ['workflow_dispatch']

test.each<[what: string, event: GivenEvent, given: Given, moves: boolean]>([
  ['a manual run of a pull request by number', ORDER, REQUESTED, true],
  ['a manual run of a range by name', ORDER, BETWEEN, true],
  ['a dispatch of a pull request by number', DISPATCH, REQUESTED, true],
  ['a manual run of its own pull request, in other letters', ORDER, { 'change-range': 'Acme/Docs/pull/12' }, true],
  ['a manual run of a pull request elsewhere', ORDER, { 'change-range': 'acme/code/pull/12' }, false],
  ['a manual run of a range elsewhere', ORDER, { 'change-range': 'acme/code@v1...v2' }, false],
  ['a manual run that looks back', ORDER, SINCE, false],
  ['a manual run without a range', ORDER, FILES, false],
  ['a manual run that waits for a job', ORDER, { ...REQUESTED, 'job-id': 'job_1', prompt: '' }, false],
  ['a push whose range is always the same', PUSHED, BETWEEN, false],
])('the base may move past what was never sent by %s', (_what, [eventName, payload = {}], given, moves) => {
  const inputs = agentInputs({}, given)
  const moved = describeBaseMovedByRange(inputs, readRun({ ...RUN_FACTS, eventName, payload }))
  expect(moved).toEqual(moves ? expect.stringContaining('If it ends green and other runs of this workflow') : undefined)
})
