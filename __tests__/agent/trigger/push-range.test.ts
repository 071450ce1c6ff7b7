import { expect, test } from '@jest/globals'
import { pushedBranch, pushedCommits, rangeOfPush } from '../../../src/agent/trigger/push-range.ts'
import { parseEvent } from '../../../src/github/event-payload.ts'
import { PUSH } from '../../support/fake-github.ts'
import { commit } from '../../support/github-state.ts'

const trigger = (payload: object, eventName = 'push') => ({
  ...{ eventName, payload: parseEvent(eventName, payload), sha: '', refName: 'main' },
})

test('the commits of a push come newest first, and no other event has any', () => {
  const ann = { username: 'ann' }
  const payload = {
    ...PUSH,
    commits: [{ id: commit('1'), message: 'One', author: ann, committer: ann }, { id: commit('2') }],
  }
  expect(pushedCommits(trigger(payload))).toEqual([
    { sha: commit('2'), message: '', author: '', isByPusher: false },
    { sha: commit('1'), message: 'One', author: '', isByPusher: true },
  ])
  expect(pushedCommits(trigger(payload, 'schedule'))).toEqual([])
})

test('tells the branch and who pushed to it', () => {
  const payload = { ...PUSH, ref: 'refs/heads/agent/guide', sender: { login: 'ann' } }
  expect(pushedBranch(trigger(payload))).toEqual({ branch: 'agent/guide', by: 'ann', isByApp: false })
  expect(pushedBranch(trigger({ ref: PUSH.ref }))).toBeUndefined()
  expect(pushedBranch(trigger(payload, 'schedule'))).toBeUndefined()
})

test('a branch that had no run yet is looked at as a whole, and the default branch as far as was pushed', () => {
  const push = parseEvent('push', PUSH)
  expect(rangeOfPush({ ...push, ref: 'refs/heads/next' }, true)).toMatchObject({ base: 'main', head: commit('b') })
  expect(rangeOfPush(push, true)).toEqual(rangeOfPush(push))
})
