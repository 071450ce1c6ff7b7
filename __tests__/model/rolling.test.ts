import { expect, test } from '@jest/globals'
import { commit } from '../support/github-state.ts'
import { begun, RollingWorld } from '../support/rolling-world.ts'

test('ten pushes in a row leave one open pull request at a time, each change is told once, and nothing is paid twice', async () => {
  const world = new RollingWorld()
  const open: number[] = []
  world.onAsked = () => open.push(world.openPulls().length)
  for (let push = 1; push <= 10; push++) {
    const after = push.toString(16).repeat(40)
    const payload = { ref: 'refs/heads/main', before: commit('a'), after, commits: [{ id: after }] }
    // The agent still works on the third change when the fourth one comes, and the seventh one comes after a merge.
    const timeoutMs = push === 3 ? 20_000 : 3_600_000
    if (push === 7) world.openPulls().forEach((pull) => (pull.state = 'merged'))
    await world.step({ changeContext: 'commits', timeoutMs }, { eventName: 'push', payload })
  }
  expect(world.taken.map(({ kind }) => kind)).toEqual([
    ...['create', 'message', 'message', 'message', 'message', 'message'],
    ...['create', 'message', 'message', 'message'],
  ])
  const told = world.taken.map(({ prompt }) => /Change ([1-9a])\1{39}/.exec(prompt)?.[1])
  expect(told).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', 'a'])
  expect(Math.max(...open)).toBe(1)
  expect(world.openPulls()).toHaveLength(1)
})

test('no course of follow-ups is longer than twenty', async () => {
  const { world } = await begun()
  for (let count = 0; count < 25; count++) await world.step()
  expect(world.taken.filter(({ kind }) => kind === 'message')).toHaveLength(20)
})
