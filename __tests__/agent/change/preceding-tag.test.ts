import { expect, test } from '@jest/globals'
import { findPrecedingTag } from '../../../src/agent/change/preceding-tag.ts'

test.each<[tag: string, others: string[], expected: string | undefined]>([
  ['v1.10.0', ['v1.9.0', 'v1.2.0', 'v1.11.0'], 'v1.9.0'],
  ['1.2.0', ['1.1.0', 'v1.1.9'], '1.1.0'],
  ['i18n-v1.1.0', ['i18n-v1.0.0', 'i18n-v1.0.0-rc.1', 'v1.0.9', 'i18n-v1.2.0'], 'i18n-v1.0.0'],
  [
    '@acme/oauth2-server@1.0.0',
    ['@acme/oauth1-server@0.9.0', '@acme/oauth2-client@0.9.0', '@acme/server@0.1.0'],
    undefined,
  ],
  ['@acme/oauth2-server@1.0.0', ['@acme/oauth2-server@0.9.0'], '@acme/oauth2-server@0.9.0'],
  ['cli@2.0.0', ['cli@1.0.0', 'cli2@1.5.0'], 'cli@1.0.0'],
  ['pkg/v1.1.0', ['pkg/v1.0.0', 'v1.0.9'], 'pkg/v1.0.0'],
  ['python-3.11-v1.1.0', ['python-3.11-v1.0.0', 'python-3.10-v1.0.9'], 'python-3.11-v1.0.0'],
  ['v1.2.0-rc.1', ['v1.1.0-rc.2', 'v1.1.0', 'v1.0.0'], 'v1.1.0'],
  ['v1.1.0', ['v1.1.0-rc.1', 'v1.0.1-rc.1', 'v1.0.0'], 'v1.0.0'],
  ['v1.0.0', ['v1.0.0-rc.1'], undefined],
  ['v1.0.0-rc.2', ['v1.0.0-rc.1', 'v1.0.0', 'v1.0.0-beta'], 'v1.0.0-rc.1'],
  ['v1.0.0-rc.10', ['v1.0.0-rc.9', 'v1.0.0-rc.11', 'v1.0.0-rc'], 'v1.0.0-rc.9'],
  ['v2.0.0+build.7', ['v1.9.0+build.8', 'v2.0.0'], 'v1.9.0+build.8'],
  // A tag that moves with each release names no version.
  ['v1.0.1', ['v1', 'v1.0', 'v1.0.0'], 'v1.0.0'],
  ['v2', ['v1', 'v1.0.0'], undefined],
  ['1.2.3.4', ['1.2.3.3', '1.2.2'], undefined],
  ['2024.01.15', ['2024.01.02', '2023.12.01'], undefined],
  ['nightly', ['v1.0.0', 'latest'], undefined],
])('%s follows, of %j, %s', (tag, others, expected) => {
  const tags = [tag, ...others]
  expect(findPrecedingTag(tag, tags)).toBe(expected)
  expect(findPrecedingTag(tag, tags.toReversed())).toBe(expected)
})

/** The example of SemVer, section 11. */
test('orders pre-releases as SemVer does', () => {
  const parts = ['alpha', 'alpha.1', 'alpha.beta', 'beta', 'beta.2', 'beta.11', 'rc.1']
  const tags = ['v0.9.0', ...parts.map((part) => `v1.0.0-${part}`), 'v1.0.0', 'v1.0.1-0']
  for (const [at, tag] of tags.slice(1, -2).entries()) expect(findPrecedingTag(tag, tags)).toBe(tags[at])
  expect([findPrecedingTag('v1.0.0', tags), findPrecedingTag('v1.0.1-0', tags)]).toEqual(['v0.9.0', 'v1.0.0'])
})
