import { expect, test } from '@jest/globals'
import { findEventOrigin, type EventOrigin } from '../../../src/agent/trigger/event-origin.ts'
import { parseEvent } from '../../../src/github/event.ts'
import { RUN_FACTS } from '../../support/fake-github.ts'
import { commit } from '../../support/github-state.ts'

const DOCS = { id: 1, default_branch: 'main' }
const find = (eventName: string, payload: object, actor = 'ann'): EventOrigin =>
  findEventOrigin({ ...RUN_FACTS, event: parseEvent(eventName, { repository: DOCS, ...payload }, actor) })
const BOT = { login: 'x[bot]', type: 'Bot' }
const MARKER = '<!-- docs-agent-action: job=job_1 -->'
const pulls = { pull_requests: [{ number: 7 }, { number: 8 }] }
const head = { head_sha: commit('b'), head_branch: 'agent/guide' }
const shas = ({ commits }: EventOrigin) => commits.map(({ sha }) => sha)

test.each(['issue_comment', 'pull_request_review', 'pull_request_review_comment'])(
  'what a person says on a pull request (%s) is for the agent, what an app says is about it, and this action’s own is ours',
  (eventName) => {
    const where =
      eventName === 'issue_comment' ? { issue: { number: 7, pull_request: {} } } : { pull_request: { number: 7 } }
    const spoken = eventName === 'pull_request_review' ? 'review' : 'comment'
    const by = (sender: object, body: string) => find(eventName, { ...where, [spoken]: { id: 1, body }, sender })
    expect(by({ login: 'x', type: 'User' }, 'Please mend it').kind).toBe('people')
    expect(by(BOT, 'Looks good')).toMatchObject({ kind: 'other', numbers: [7] })
    expect(by({ login: 'x', type: 'User' }, MARKER).kind).toBe('ours')
  },
)

test.each(['workflow_dispatch', 'schedule', 'repository_dispatch'])('%s is by order of people', (eventName) => {
  expect(find(eventName, { sender: BOT }).kind).toBe('people')
})

test.each<[string, object, readonly number[]]>([
  ['pull_request', { pull_request: { number: 7 } }, [7]],
  ['issues', { issue: { number: 7, pull_request: {} } }, [7]],
  ['issues', { issue: { number: 7 } }, []],
  ['workflow_run', { workflow_run: pulls }, [7, 8]],
  ['deployment', { workflow_run: pulls }, [7, 8]],
  ['check_suite', { check_suite: pulls }, [7, 8]],
  ['check_run', { check_run: pulls }, [7, 8]],
  ['check_run', { check_run: { pull_requests: [], check_suite: pulls } }, [7, 8]],
  ['merge_group', { merge_group: { ...queued('7'), base_sha: commit('a'), head_sha: commit('b') } }, [7]],
  ['check_suite', { check_suite: { pull_requests: [pullOf(1, 7), pullOf(2, 9)] } }, [7]],
])('%s names the pull requests of this repository: %j', (eventName, payload, numbers) => {
  expect(find(eventName, payload).numbers).toEqual(numbers)
})

function queued(number: string) {
  return { head_ref: `refs/heads/gh-readonly-queue/main/pr-${number}-${commit('a')}` }
}
function pullOf(id: number, number: number) {
  return { number, base: { sha: commit('a'), repo: { id } } }
}

test.each<[string, object, string | undefined]>([
  ['status', { sha: commit('b') }, undefined],
  ['deployment', { deployment: { sha: commit('b'), ref: commit('b') } }, undefined],
  ['deployment_status', { deployment: { sha: commit('b'), ref: 'agent/guide' } }, 'agent/guide'],
  ['page_build', { build: { commit: commit('b') } }, undefined],
  ['registry_package', { registry_package: { package_version: { target_oid: commit('b') } } }, undefined],
  ['check_suite', { check_suite: head }, 'agent/guide'],
  ['check_run', { check_run: { head_sha: commit('b'), check_suite: head } }, 'agent/guide'],
  ['check_run', { check_run: { head_sha: commit('b') } }, undefined],
  ['workflow_run', { workflow_run: { ...head, head_branch: 'main' } }, undefined],
  ['workflow_run', { workflow_run: { ...head, head_repository: { id: 2 } } }, undefined],
])('%s is about a commit, and the branch if that is one of this repository: %j', (eventName, payload, branch) => {
  const origin = find(eventName, payload)
  expect(shas(origin)).toEqual([commit('b')])
  expect(origin.branch).toBe(branch)
})

test.each(['create', 'delete'])('%s is about a branch', (eventName) => {
  expect(find(eventName, { ref: 'agent/guide', ref_type: 'branch' })).toMatchObject({ branch: 'agent/guide' })
})

test('a tag or a release of a bot is about its whole range, and one of a person is made by hand', () => {
  for (const [name, payload] of [
    ['release', { release: { tag_name: 'v2' } }],
    ['create', { ref: 'v2', ref_type: 'tag' }],
    ['push', { ref: 'refs/tags/v2' }],
  ] as const) {
    expect(find(name, { ...payload, sender: BOT })).toMatchObject({ kind: 'change', needsRange: true })
    expect(find(name, payload)).toMatchObject({ kind: 'change', needsRange: false, commits: [] })
  }
})
