import { expect, test } from '@jest/globals'
import { describeBaseMovedByRange } from '../../../src/agent/change/change-range.ts'
import { PUSH, readRun, RUN_FACTS } from '../../support/fake-github.ts'
import { agentInputs } from '../../support/fake-step.ts'
import type { Given, GivenEvent } from '../../support/play-change.ts'

const SINCE = { 'change-range': ' since-last-success\n' }
const FILES = { 'change-context': 'files' }
const BETWEEN = { 'change-range': 'v1...v2', ...FILES }
const PUSHED: GivenEvent = ['push', PUSH]

const REQUESTED = { 'change-range': 'pull/12' }
const DISPATCH: GivenEvent = ['repository_dispatch']
const MANUAL: GivenEvent = ['workflow_dispatch']

test.each<[what: string, event: GivenEvent, given: Given, moves: boolean]>([
  ['a manual run of a pull request by number', MANUAL, REQUESTED, true],
  ['a manual run of an explicit range', MANUAL, BETWEEN, true],
  ['a dispatch of a pull request by number', DISPATCH, REQUESTED, true],
  [
    'a manual run for a pull request of the same repository in another letter case',
    MANUAL,
    { 'change-range': 'Acme/Docs/pull/12' },
    true,
  ],
  ['a manual run of a pull request in another repository', MANUAL, { 'change-range': 'acme/code/pull/12' }, false],
  ['a manual run of a range in another repository', MANUAL, { 'change-range': 'acme/code@v1...v2' }, false],
  ['a manual run since the last success', MANUAL, SINCE, false],
  ['a manual run with the range of the event', MANUAL, FILES, false],
  ['a manual run that waits for a job', MANUAL, { ...REQUESTED, 'job-id': 'job_1', prompt: '' }, false],
  ['a push with an explicit range', PUSHED, BETWEEN, false],
])(
  'warns if an explicit range may move the base past unsent changes: %s',
  (_what, [eventName, payload = {}], given, moves) => {
    const inputs = agentInputs({}, given)
    const moved = describeBaseMovedByRange(inputs, readRun({ ...RUN_FACTS, eventName, payload }))
    expect(moved).toEqual(
      moves ? expect.stringContaining('If this run succeeds and other runs of this workflow') : undefined,
    )
  },
)
