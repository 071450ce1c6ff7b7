import { createRequire } from 'node:module'
import { expect, test } from '@jest/globals'
import { DEFAULT_START_MS as START } from '../../../src/emulator/embedded-service.ts'
import { AGENT_USER, MAINTAINER } from '../../../src/emulator/github/demo-state.ts'
import { mergePull, openPull, pushCommit } from '../../../src/emulator/github/repository-changes.ts'
import { createRepositoryState } from '../../../src/emulator/github/repository-state.ts'
import type { WebhookEvent } from '../../../src/emulator/github/webhook-events.ts'
import { driveGitHub } from './drive-github.ts'

const PUBLISHED = createRequire(import.meta.url)('@octokit/webhooks-examples') as readonly {
  readonly name: string
  readonly examples: readonly object[]
}[]

const EVENT_NAMES = ['pull_request', 'push']

function drive() {
  const events: WebhookEvent[] = []
  const docs = createRepositoryState({ labels: ['question'], collaborators: { [MAINTAINER]: 'maintain' } })
  pushCommit(docs, 'main', { message: 'Begin', author: MAINTAINER, files: [] }, START)
  const driver = driveGitHub({ docs, onEvent: (event) => events.push(event) })
  /** Returns the names and actions of the events since the last call. */
  const takeEvents = (): readonly string[] =>
    events.splice(0).map(({ name, payload }) => [name, payload['action']].filter(Boolean).join(' '))
  const writeAs = (login: string, ...request: Parameters<typeof driver.request>): void => {
    driver.service.github.state.identity = login
    driver.request(...request)
  }
  return { ...driver, events, takeEvents, writeAs }
}

test('emits GitHub’s events for a pull request, from the push to the merge', () => {
  const { docs, takeEvents, read, writeAs, advance } = drive()
  pushCommit(docs, 'guide', { message: 'Guide', author: AGENT_USER, files: [] }, START)
  openPull(docs, 7, { branch: 'guide', user: AGENT_USER }, START)
  read('/pulls/7')
  expect(takeEvents()).toEqual(['push', 'pull_request opened'])
  writeAs(MAINTAINER, 'POST', '/issues/7/labels', { labels: ['question'] })
  expect(takeEvents()).toEqual(['pull_request labeled'])
  pushCommit(docs, 'guide', { message: 'More', author: AGENT_USER, files: [] }, START)
  read('/pulls/7')
  expect(takeEvents()).toEqual(['push', 'pull_request synchronize'])
  advance(10)
  writeAs(MAINTAINER, 'PUT', '/pulls/7/merge', {})
  expect(takeEvents()).toEqual(['push', 'pull_request closed'])
})

test('an event contains the change and its author', () => {
  const { docs, events, read } = drive()
  const before = docs.branches['main']
  const { sha: after } = pushCommit(docs, 'main', { message: 'Second', author: AGENT_USER, files: [] }, START)
  read('/pulls')
  expect(events[0]).toMatchObject({
    name: 'push',
    payload: {
      ref: 'refs/heads/main',
      before,
      after,
      created: false,
      forced: false,
      commits: [{ id: after, message: 'Second' }],
      pusher: { name: AGENT_USER },
      repository: { full_name: 'acme/docs' },
      sender: { login: AGENT_USER },
    },
  })
})

test('a push marks the commits that another branch had before', () => {
  const { docs, events, read, writeAs, advance } = drive()
  pushCommit(docs, 'guide', { message: 'Guide', author: AGENT_USER, files: [] }, START)
  openPull(docs, 7, { branch: 'guide', user: AGENT_USER }, START)
  pushCommit(docs, 'main', { message: 'Second', author: MAINTAINER, files: [] }, START)
  read('/pulls/7')
  events.splice(0)
  writeAs(AGENT_USER, 'PUT', '/pulls/7/update-branch', {})
  advance(10)
  writeAs(MAINTAINER, 'PUT', '/pulls/7/merge', { merge_method: 'merge' })
  const pushes = events.filter(({ name }) => name === 'push')
  const listDistinct = (payload: WebhookEvent['payload']): readonly unknown[] =>
    (payload['commits'] as readonly { message: string; distinct: boolean }[]).map(({ message, distinct }) => [
      message.split(' ', 1)[0],
      distinct,
    ])
  expect(pushes.map(({ payload }) => [payload['ref'], ...listDistinct(payload)])).toEqual([
    ['refs/heads/guide', ['Second', false], ['Merge', true]],
    ['refs/heads/main', ['Guide', false], ['Merge', false], ['Merge', true]],
  ])
})

test('emits no events for changes by the token of a workflow', () => {
  const { docs, request, takeEvents } = drive()
  pushCommit(docs, 'guide', { message: 'Guide', author: 'github-actions[bot]', files: [] }, START)
  openPull(docs, 7, { branch: 'guide', user: 'github-actions[bot]' }, START)
  request('POST', '/issues/7/comments', { body: 'Hello' })
  mergePull(docs, 7, 'github-actions[bot]', START)
  expect(takeEvents()).toEqual([])
})

test("a label that an app's token sets starts workflows, and one that the workflow's token sets does not", () => {
  const { docs, request, read, takeEvents, writeAs } = drive()
  pushCommit(docs, 'guide', { message: 'Guide', author: AGENT_USER, files: [] }, START)
  openPull(docs, 7, { branch: 'guide', user: AGENT_USER }, START)
  read('/pulls/7')
  takeEvents()
  request('POST', '/issues/7/labels', { labels: ['question'] })
  expect(takeEvents()).toEqual([])
  writeAs(AGENT_USER, 'POST', '/issues/7/labels', { labels: ['bug'] })
  expect(takeEvents()).toEqual(['pull_request labeled'])
})

test('payloads contain only fields of GitHub’s published payloads', () => {
  const { docs, events, read } = drive()
  pushCommit(docs, 'guide', { message: 'Guide', author: AGENT_USER, files: [] }, START)
  openPull(docs, 7, { branch: 'guide', user: AGENT_USER, labels: ['question'] }, START)
  read('/pulls')
  expect([...new Set(events.map(({ name }) => name))].toSorted()).toEqual(EVENT_NAMES)
  for (const { name, payload } of events) {
    const { examples = [] } = PUBLISHED.find((one) => one.name === name) ?? {}
    const known = new Set(examples.flatMap((example) => Object.keys(example)))
    expect([name, Object.keys(payload).filter((field) => !known.has(field))]).toEqual([name, []])
  }
})
