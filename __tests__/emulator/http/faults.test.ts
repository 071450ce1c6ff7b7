import { expect, test } from '@jest/globals'

import { jsonResponse } from '../../../src/emulator/http/exchange.ts'
import { type Fault, applyFault, faultAt } from '../../../src/emulator/http/faults.ts'

const job = { id: 'job_1', status: 'active' }

/** The response under a fault, and how often the work was done. */
function strike(fault: Fault, status = 200): { response: ReturnType<typeof applyFault>; worked: number } {
  let worked = 0
  const response = applyFault(fault, () => {
    worked += 1
    return jsonResponse(status, job)
  })
  return { response, worked }
}

test('a pattern that stays ends with its last fault for ever', () => {
  const pattern = { faults: ['none', 'html'], then: 'stays' } as const
  expect([0, 1, 2, 3].map((index) => faultAt(pattern, index))).toEqual(['none', 'html', 'html', 'html'])
})

test('a pattern that starts over goes round', () => {
  const pattern = { faults: ['none', 'html'], then: 'starts-over' } as const
  expect([0, 1, 2, 3].map((index) => faultAt(pattern, index))).toEqual(['none', 'html', 'none', 'html'])
})

test('without a fault the answer comes as it is', () => {
  expect(strike('none')).toEqual({ response: jsonResponse(200, job), worked: 1 })
})

test.each([
  ['unavailable', 503, 'whole'],
  ['rejected', 400, 'whole'],
  ['payment-required', 402, 'whole'],
  ['too-large', 413, 'whole'],
  ['unauthorized', 401, 'whole'],
  ['redirected', 307, 'whole'],
  ['html', 200, 'whole'],
  ['reset', 0, 'reset'],
  ['never', 0, 'never'],
] as const)('%s answers %d, delivered %s, and does no work', (fault, status, delivery) => {
  const { response, worked } = strike(fault)
  expect({ status: response.status, delivery: response.delivery, worked }).toEqual({ status, delivery, worked: 0 })
})

test.each([
  ['rate-limited', '5'],
  ['rate-limited-for-hours', '7200'],
] as const)('%s tells to wait for %s seconds', (fault, seconds) => {
  const { status, headers } = strike(fault).response
  expect([status, headers['retry-after']]).toEqual([429, seconds])
})

test('a redirect stays on the service', () => {
  expect(strike('redirected').response.headers['location']).toMatch(/^\/[^/]/)
})

test.each([
  ['truncated', { delivery: 'truncated' }],
  ['answer-lost', { delivery: 'reset' }],
  ['bad-id', { body: '{"id":"../job","status":"active"}' }],
  ['other-job', { body: '{"id":"job_of_another","status":"failed"}' }],
] as const)('%s does the work and spoils its answer', (fault, spoilt) => {
  expect(strike(fault)).toEqual({ response: { ...jsonResponse(200, job), ...spoilt }, worked: 1 })
})

test.each(['truncated', 'answer-lost', 'bad-id', 'other-job'] as const)('%s leaves a refusal alone', (fault) => {
  expect(strike(fault, 409).response).toEqual(jsonResponse(409, job))
})
