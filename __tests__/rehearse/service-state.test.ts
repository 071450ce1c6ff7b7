import { expect, test } from '@jest/globals'
import { parseServiceState } from '../../src/rehearse/service-state.ts'

const state = { pid: 7, baseUrl: 'http://127.0.0.1:4010', logFile: '/logs/a.log' }

test('what the main step saved is read back', () => {
  expect(parseServiceState(JSON.stringify(state))).toEqual(state)
})

test('a main step that saved nothing started nothing', () => {
  expect(parseServiceState('')).toBeUndefined()
})

test('a process id that would reach a whole group of processes is refused', () => {
  for (const pid of [0, -1, 1.5, '7']) expect(parseServiceState(JSON.stringify({ ...state, pid }))).toBeUndefined()
})
