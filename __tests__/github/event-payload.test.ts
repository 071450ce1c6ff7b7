import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { parseEvent, readEvent } from '../../src/github/event-payload.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

function readText(text: string) {
  const file = join(temporaryFolder(), 'event.json')
  writeFileSync(file, text)
  return readEvent({ GITHUB_EVENT_NAME: 'workflow_run', GITHUB_EVENT_PATH: file })
}

test('the event is what the file of the runner holds', () => {
  const workflow_run = { name: 'CI', head_branch: 'main' }
  expect(readText(JSON.stringify({ workflow_run }))).toEqual({
    workflowRun: { name: 'CI', headBranch: 'main' },
  })
})

test('a file that cannot be read is no event, and outside of a runner there is none', () => {
  for (const text of ['', '{"ref":', 'null', '[]', '7', '"main"']) expect(readText(text)).toBeUndefined()
  expect(readEvent({ GITHUB_EVENT_PATH: '/no/such/file.json' })).toBeUndefined()
  expect(readEvent({})).toEqual({})
})

test.each([undefined, null, 'main', []])('%j says nothing', (payload) => {
  expect(parseEvent('push', payload)).toEqual({})
})

test('a part that is null, or not as GitHub describes it, is as if it were not there, and the others stay', () => {
  const issue = { number: 7, title: null, body: 7, pull_request: null, state: 'open' }
  const commits = [{ id: 'main; rm' }]
  expect(parseEvent('issues', { action: 'opened', issue, commits, after: 'main', comment: 'x' })).toEqual({
    action: 'opened',
    issue: { number: 7, state: 'open' },
  })
})

test('the run that made a deployment is not what the event is about', () => {
  const payload = { workflow_run: { name: 'CI' }, ref: 'main' }
  expect(parseEvent('deployment', payload)).toEqual({ ref: 'main', madeBy: { name: 'CI' } })
  expect(parseEvent('workflow_run', payload)).toEqual({ ref: 'main', workflowRun: { name: 'CI' } })
})

test.each([
  ['push', { ref: 'refs/tags/v1' }, 'v1'],
  ['push', { ref: 'refs/heads/v1' }, undefined],
  ['create', { ref: 'v1', ref_type: 'tag' }, 'v1'],
  ['create', { ref: 'v1', ref_type: 'branch' }, undefined],
  ['delete', { ref: 'v1', ref_type: 'tag' }, undefined],
  ['release', { release: { tag_name: 'v1' } }, 'v1'],
])('the tag of %s %j is %j', (eventName, payload, tag) => {
  expect(parseEvent(eventName, payload).tag).toBe(tag)
})
