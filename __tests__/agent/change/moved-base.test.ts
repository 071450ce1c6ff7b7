import { expect, test } from '@jest/globals'
import { describeMovedBase } from '../../../src/agent/change/compare-range.ts'
import { PUSH, readRun, RUN_FACTS } from '../../support/fake-github.ts'
import { agentInputs } from '../../support/fake-step.ts'
import type { Given, GivenEvent } from '../../support/play-change.ts'

const SINCE = { 'change-range': ' since-last-success\n' }
const FILES = { 'change-context': 'files' }
const BETWEEN = { 'change-range': 'v1...v2', ...FILES }
const PUSHED: GivenEvent = ['push', PUSH]

const REQUESTED = { 'change-range': 'pull/12' }
const SCHEDULE: GivenEvent = ['schedule']
const DISPATCH: GivenEvent = ['repository_dispatch']
const MANUAL: GivenEvent = ['workflow_dispatch']

const DRY = { 'dry-run': 'true' }

test.each<[what: string, event: GivenEvent, given: Given, moves: boolean]>([
  ['a manual run of a pull request by number', MANUAL, REQUESTED, true],
  ['a manual run of an explicit range', MANUAL, BETWEEN, true],
  ['a dry run by hand of an explicit range', MANUAL, { ...BETWEEN, ...DRY }, true],
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
  ['a scheduled dry run since the last success', SCHEDULE, { ...SINCE, ...DRY }, true],
  ['a scheduled dry run with the range of the event', SCHEDULE, { ...FILES, ...DRY }, true],
  ['a scheduled dry run with only `paths`', SCHEDULE, { paths: 'src/**', ...DRY }, true],
  [
    'a scheduled dry run with only `skip-labels`',
    SCHEDULE,
    { 'skip-labels': 'no-docs', 'github-token': 'token', ...DRY },
    true,
  ],
  ['a scheduled dry run without a change', SCHEDULE, DRY, false],
  ['a scheduled run since the last success', SCHEDULE, SINCE, false],
  ['a dry run of a push since the last success', PUSHED, { ...SINCE, ...DRY }, true],
  ['a dry run of a push with the range of the event', PUSHED, { ...FILES, ...DRY }, false],
  [
    'a dry run of a tag since the last success',
    ['push', { ...PUSH, ref: 'refs/tags/v2' }],
    { ...SINCE, ...DRY },
    false,
  ],
  ['a dry run of an event that is never a base', ['label'], { ...FILES, ...DRY }, false],
])(
  'warns if a run may move the base of later ranges past unsent changes: %s',
  (_what, [eventName, payload = {}], given, moves) => {
    const moved = describeMovedBase(agentInputs({}, given), readRun({ ...RUN_FACTS, eventName, payload }))
    expect(moved).toEqual(moves ? expect.stringContaining('and earlier changes are not sent') : undefined)
  },
)
