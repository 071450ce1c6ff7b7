import { expect, test } from '@jest/globals'
import { agentInputs } from '../../../testing/agent-inputs.ts'

const given = (range: string) => () => agentInputs({}, { 'github-token': 'ghs_token', 'change-range': range })
const [ZEROS, SHA] = ['0'.repeat(40), 'a'.repeat(40)]

test.each([
  [`${ZEROS}...${SHA}`, 'zeros as BASE'],
  [`${'0'.repeat(64)}...${SHA}`, 'zeros as BASE'],
  [`acme/docs@${ZEROS}...${SHA}`, 'zeros as BASE'],
  [`${SHA}...${ZEROS}`, 'zeros as HEAD'],
  [`...${SHA}`, 'has no BASE: an expression is empty'],
  [`${SHA}...`, 'has no HEAD: an expression is empty'],
])('explains why %s is no range', (range, problem) => {
  expect(given(range)).toThrow(problem)
  expect(given(range)).toThrow('leave `change-range` empty')
})

test.each([`${'0'.repeat(7)}...${SHA}`, `${SHA}...main`, `000...${SHA}`])('accepts %s', (range) => {
  expect(given(range)().changeRange).toMatchObject({ kind: 'between' })
})
