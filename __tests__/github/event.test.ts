import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { readEvent, withholdsSecrets, type TriggerEvent } from '../../src/github/event.ts'

const REPOSITORY = { full_name: 'acme/docs' }
const PAYLOAD = { repository: REPOSITORY, pull_request: { head: { repo: null } } }

const folder = mkdtempSync(join(tmpdir(), 'event-'))
const eventFile = join(folder, 'event.json')
writeFileSync(eventFile, JSON.stringify(PAYLOAD))

const EVENT = { GITHUB_EVENT_PATH: eventFile, GITHUB_EVENT_NAME: 'pull_request', GITHUB_ACTOR: 'octocat' }

afterAll(() => {
  rmSync(folder, { recursive: true })
})

function pullRequestFrom(repo: { full_name: string } | null, event: Partial<TriggerEvent> = {}): TriggerEvent {
  return {
    eventName: 'pull_request',
    actor: 'octocat',
    payload: { repository: REPOSITORY, pull_request: { head: { repo } } },
    ...event,
  }
}

test.each(['pull_request', 'pull_request_review', 'pull_request_review_comment'])(
  'secrets are withheld from a %s of a fork',
  (eventName) => {
    expect(withholdsSecrets(pullRequestFrom({ full_name: 'stranger/docs' }, { eventName }))).toBe(true)
  },
)

test('secrets are withheld where the fork was deleted meanwhile', () => {
  expect(withholdsSecrets(pullRequestFrom(null))).toBe(true)
})

test('a pull request of the repository itself has secrets', () => {
  expect(withholdsSecrets(pullRequestFrom(REPOSITORY))).toBe(false)
})

test('pull_request_target has secrets, also for a fork', () => {
  const eventName = 'pull_request_target'

  expect(withholdsSecrets(pullRequestFrom({ full_name: 'stranger/docs' }, { eventName }))).toBe(false)
})

test.each(['push', 'pull_request', 'pull_request_target', 'workflow_dispatch'])(
  'secrets are withheld from a %s that Dependabot started',
  (eventName) => {
    expect(withholdsSecrets(pullRequestFrom(REPOSITORY, { eventName, actor: 'dependabot[bot]' }))).toBe(true)
  },
)

test.each(['push', 'schedule', 'workflow_dispatch'])('a %s has secrets', (eventName) => {
  expect(withholdsSecrets({ eventName, actor: 'octocat', payload: {} })).toBe(false)
})

test('the event is read from what the runner gives', () => {
  expect(readEvent(EVENT)).toEqual({ eventName: 'pull_request', actor: 'octocat', payload: PAYLOAD })
})

test('outside of a runner there is no event, and nothing withholds secrets', () => {
  expect(readEvent({})).toEqual({ eventName: '', actor: '', payload: {} })
  expect(withholdsSecrets(readEvent({}))).toBe(false)
})
