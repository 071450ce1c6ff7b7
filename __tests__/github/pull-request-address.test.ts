import { expect, test } from '@jest/globals'
import { toPullRequestAddress } from '../../src/github/pull-request-address.ts'
import type { PullRequestAddress } from '../../src/github/pull-requests.ts'
import { parsePullRequestLink } from '../../src/docs-service/pull-request-link.ts'
import { RUN_FACTS } from '../support/fake-github.ts'

function addressOf(raw: string, serverUrl: string): PullRequestAddress {
  const link = parsePullRequestLink(raw)
  if (link === undefined) throw new Error(`${raw} is no link.`)
  return toPullRequestAddress(link, { ...RUN_FACTS, serverUrl })
}

test.each([
  ['https://github.com/acme/docs/pull/7', 'https://github.com'],
  ['https://ghe.example.com:8443/acme/docs/pull/7/files', 'https://GHE.example.com:8443/'],
])('%s is found at %s', (raw, serverUrl) => {
  expect(addressOf(raw, serverUrl)).toEqual({ repository: 'acme/docs', number: 7 })
})

test.each([
  ['https://git.example.com/acme/docs/pull/7', "it is at git.example.com, and this run's GitHub is github.com"],
  ['https://github.com/changes/42', 'does not say which'],
  ['https://github.com/acme/docs/-/merge_requests/7/x', 'does not say which'],
  ['https://github.com/group/sub/docs/-/merge_requests/7', 'does not say which'],
])('%s is not asked for', (raw, part) => {
  expect(() => addressOf(raw, 'https://github.com')).toThrow(
    expect.objectContaining({ code: 'rejected', message: expect.stringContaining(part) as unknown }),
  )
})
