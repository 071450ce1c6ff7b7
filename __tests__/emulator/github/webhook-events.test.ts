import { createRequire } from 'node:module'
import { expect, test } from '@jest/globals'
import { DEFAULT_START_MS as START } from '../../../src/emulator/embedded-service.ts'
import { startChecks } from '../../../src/emulator/github/check-plan.ts'
import { AGENT_USER, BOT, MAINTAINER } from '../../../src/emulator/github/demo-state.ts'
import { GITHUB_SCENARIOS } from '../../../src/emulator/github/github-scenarios.ts'
import { mergePull, openPull, pushCommit } from '../../../src/emulator/github/repository-changes.ts'
import { createRepositoryState, WEB_FLOW } from '../../../src/emulator/github/repository-state.ts'
import type { WebhookEvent } from '../../../src/emulator/github/webhook-events.ts'
import { driveGitHub } from './drive-github.ts'

const PUBLISHED = createRequire(import.meta.url)('@octokit/webhooks-examples') as readonly {
  readonly name: string
  readonly examples: readonly object[]
}[]

const EVENT_NAMES = (
  'check_run check_suite create delete deployment deployment_status issue_comment issues pull_request push ' +
  'repository_dispatch status workflow_run'
).split(' ')

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
  expect(takeEvents()).toEqual(['push', 'create', 'pull_request opened'])
  writeAs(MAINTAINER, 'POST', '/issues/7/labels', { labels: ['question'] })
  writeAs(MAINTAINER, 'POST', '/issues/7/comments', { body: 'Why?' })
  expect(takeEvents()).toEqual(['pull_request labeled', 'issue_comment created'])
  pushCommit(docs, 'guide', { message: 'More', author: AGENT_USER, files: [] }, START)
  read('/pulls/7')
  expect(takeEvents()).toEqual(['push', 'pull_request synchronize'])
  advance(10)
  writeAs(MAINTAINER, 'PUT', '/pulls/7/merge', {})
  expect(takeEvents()).toEqual(['push', 'pull_request closed'])
  writeAs(MAINTAINER, 'DELETE', '/git/refs/heads/guide')
  expect(takeEvents()).toEqual(['push', 'delete'])
})

test('an event contains the change and its author', () => {
  const { docs, events, read, writeAs } = drive()
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
  writeAs(MAINTAINER, 'POST', '/issues', { title: 'A page is missing' })
  expect(events[1]).toMatchObject({
    name: 'issues',
    payload: { action: 'opened', issue: { title: 'A page is missing' }, sender: { login: MAINTAINER } },
  })
})

test('emits no events for changes by the token of a workflow, except for dispatches', () => {
  const { docs, request, takeEvents } = drive()
  pushCommit(docs, 'guide', { message: 'Guide', author: 'github-actions[bot]', files: [] }, START)
  openPull(docs, 7, { branch: 'guide', user: 'github-actions[bot]' }, START)
  request('POST', '/issues/7/comments', { body: 'Hello' })
  mergePull(docs, 7, 'github-actions[bot]', START)
  request('POST', '/dispatches', { event_type: 'docs' })
  expect(takeEvents()).toEqual(['repository_dispatch docs'])
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
  const { service, docs, events, read, advance, writeAs } = drive()
  const { sha: headSha } = pushCommit(docs, 'guide', { message: 'Guide', author: AGENT_USER, files: [] }, START)
  openPull(docs, 7, { branch: 'guide', user: AGENT_USER, labels: ['question'] }, START)
  const push = { branch: 'guide', headSha, event: 'pull_request', by: AGENT_USER } as const
  startChecks(service.github.state, docs, push, GITHUB_SCENARIOS['checks-with-preview'].checks?.[0] ?? [], START)
  read('/pulls')
  writeAs(MAINTAINER, 'POST', '/issues', { title: 'A page is missing' })
  writeAs(MAINTAINER, 'POST', '/issues/7/comments', { body: 'Hello' })
  writeAs(MAINTAINER, 'POST', '/dispatches', { event_type: 'docs' })
  advance(60)
  writeAs(MAINTAINER, 'POST', '/git/refs', { ref: 'refs/heads/next', sha: headSha })
  writeAs(MAINTAINER, 'DELETE', '/git/refs/heads/next')
  expect([...new Set(events.map(({ name }) => name))].toSorted()).toEqual(EVENT_NAMES)
  for (const { name, payload } of events) {
    const { examples = [] } = PUBLISHED.find((one) => one.name === name) ?? {}
    const known = new Set(examples.flatMap((example) => Object.keys(example)))
    expect([name, Object.keys(payload).filter((field) => !known.has(field))]).toEqual([name, []])
  }
})

test('emits the events of checks, statuses, deployments and workflow runs at their times, once', () => {
  const { service, docs, events, read, advance } = drive()
  const { sha: headSha } = pushCommit(docs, 'guide', { message: 'Guide', author: AGENT_USER, files: [] }, START)
  openPull(docs, 7, { branch: 'guide', user: AGENT_USER }, START)
  const push = { branch: 'guide', headSha, event: 'pull_request', by: AGENT_USER } as const
  startChecks(service.github.state, docs, push, GITHUB_SCENARIOS['checks-with-preview'].checks?.[0] ?? [], START)
  const describe = () =>
    events.splice(0).map(({ name, payload }) => {
      const {
        action,
        state,
        deployment_status: status,
        sender,
      } = payload as {
        readonly action?: string
        readonly state?: string
        readonly deployment_status?: { readonly state: string }
        readonly sender: { readonly login: string }
      }
      return [name, status?.state ?? state ?? action, sender.login].join(' ')
    })
  read('/pulls')
  expect(describe()).toEqual([
    `push  ${AGENT_USER}`,
    `create  ${AGENT_USER}`,
    `pull_request opened ${AGENT_USER}`,
    `workflow_run requested ${AGENT_USER}`,
  ])
  advance(5)
  read('/pulls')
  expect(describe()).toEqual([
    `status pending ${MAINTAINER}`,
    `deployment created preview[bot]`,
    `check_run created ${BOT}`,
  ])
  advance(60)
  read('/pulls')
  expect(describe()).toEqual([
    `status success ${MAINTAINER}`,
    `deployment_status success preview[bot]`,
    `check_run completed ${BOT}`,
    `check_suite completed ${BOT}`,
    `workflow_run completed ${AGENT_USER}`,
  ])
  advance(60)
  read('/pulls')
  expect(describe()).toEqual([])
})

test('the events of checks and runs name the head commit, its branch, its people and its pull request', () => {
  const { service, docs, events, read, advance } = drive()
  const commit = { message: 'Guide', author: MAINTAINER, committer: WEB_FLOW, files: [] }
  const { sha } = pushCommit(docs, 'guide', commit, START)
  openPull(docs, 7, { branch: 'guide', user: AGENT_USER }, START)
  const push = { branch: 'guide', headSha: sha, event: 'pull_request', by: AGENT_USER } as const
  startChecks(service.github.state, docs, push, GITHUB_SCENARIOS['checks-with-preview'].checks?.[0] ?? [], START)
  advance(60)
  read('/pulls')
  const getPayload = (name: string) => events.findLast((event) => event.name === name)?.payload
  const head = { head_branch: 'guide', head_sha: sha, pull_requests: [{ number: 7, head: { ref: 'guide', sha } }] }
  const head_commit = { id: sha, author: { name: MAINTAINER }, committer: { name: 'GitHub' } }
  expect(getPayload('check_run')?.['check_run']).toMatchObject({ head_sha: sha, check_suite: head })
  expect(getPayload('check_suite')?.['check_suite']).toMatchObject({ ...head, head_commit })
  const workflow = { name: 'ci.yml' }
  const run = { ...head, head_commit, event: 'pull_request', conclusion: 'success' }
  expect(getPayload('workflow_run')).toMatchObject({ workflow_run: run, workflow })
  expect(getPayload('deployment_status')?.['deployment']).toMatchObject({ sha, ref: 'guide' })
  expect(getPayload('status')).toMatchObject({
    sha,
    branches: [{ name: 'guide' }],
    commit: { author: { login: MAINTAINER }, committer: { login: WEB_FLOW } },
  })
})
