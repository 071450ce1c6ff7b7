import { expect, test } from '@jest/globals'
import { renderFixPrompt, type FailedCheck } from '../../../src/agent/prompt/failing-checks.ts'
import { commit } from '../../support/github-state.ts'

const failed = (fields: Partial<FailedCheck['check']> = {}, rest: Partial<FailedCheck> = {}): FailedCheck => ({
  check: { name: 'build', ...fields },
  annotations: [],
  log: '',
  ...rest,
})

const HEAD = commit('c')
const sizeOfFrame = Buffer.byteLength(renderFixPrompt([failed({ name: '' })], HEAD, 10_000))
const lines = (count: number, word = 'line'): string =>
  Array.from({ length: count }, (_, index) => `${word} ${index}`).join('\n')

test('one check is told as one', () => {
  expect(renderFixPrompt([failed()], HEAD, 10_000)).toContain(
    'A check of your pull request failed on its newest commit, ccccccc.',
  )
})

test('nothing that a check says ends the fence, is a command of the runner, or does not show', () => {
  const text = 'a ``````\n````\n\u001b[31m##[error]red\u001b[0m\u202e'
  const prompt = renderFixPrompt([failed({ name: text, title: text, summary: text }, { log: text })], HEAD, 10_000)
  expect(prompt.split('```````')).toHaveLength(3)
  expect(prompt).not.toMatch(/##\[|\u001b|\u202e/)
  expect(prompt.indexOf('Change no workflow')).toBeGreaterThan(prompt.lastIndexOf('```````'))
})

test('a log is cut at its beginning, and what a check says at its end', () => {
  const prompt = renderFixPrompt([failed({ summary: lines(500, 'said') }, { log: lines(500, 'logged') })], HEAD, 2_000)
  expect(prompt).toContain('said 0\n')
  expect(prompt).not.toContain('said 499')
  expect(prompt).toContain('logged 498\nlogged 499\n')
  expect(prompt).not.toContain('logged 0\n')
  expect(prompt.match(/\(cut here\)/g)).toHaveLength(2)
})

test('what the short checks leave is for the long ones, and nobody takes the share of another', () => {
  const checks = [
    failed({ name: 'greedy', summary: lines(5_000, 'greedy') }),
    failed({ name: 'short', summary: 'one line' }),
    failed({ name: 'long', summary: lines(100, 'long') }),
  ]
  const prompt = renderFixPrompt(checks, HEAD, 4_000)
  expect(prompt).toContain('one line\n')
  expect(prompt).toContain('long 99\n')
  expect(prompt).toContain('greedy 200\n')
})

test.each([1_024, 4_096, 65_536])('in no more than %i bytes besides the frame, whatever the checks say', (maxBytes) => {
  const text = lines(20_000, '``` ünïcode 🙂')
  const annotations = Array.from({ length: 50 }, () => ({
    path: 'a',
    line: 1,
    title: 'é'.repeat(999),
    message: '',
  }))
  for (const count of [1, 3, 30]) {
    const checks = Array.from({ length: count }, () => failed({ summary: text }, { annotations, log: text }))
    const bytes = Buffer.byteLength(renderFixPrompt(checks, HEAD, maxBytes))
    expect(bytes).toBeLessThanOrEqual(maxBytes + sizeOfFrame)
  }
})
