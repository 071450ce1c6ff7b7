import { expect, test } from '@jest/globals'
import { findPrecedingTags } from '../../../src/agent/change/preceding-tags.ts'

const find = (tag: string, others: readonly string[]): readonly string[] =>
  findPrecedingTags(
    tag,
    [tag, ...others].map((name) => ({ name })),
  ).map(({ name }) => name)

test.each([
  ['i18n-v1.1.0', ['i18n-v1.0.0', 'i18n-v1.0.0-rc.1', 'v1.0.9', 'i18n-v1.2.0'], ['i18n-v1.0.0']],
  ['@acme/oauth2-server@1.0.0', ['@acme/oauth1-server@0.9.0', '@acme/oauth2-client@0.9.0', '@acme/server@0.1.0'], []],
  ['@acme/oauth2-server@1.0.0', ['@acme/oauth2-server@0.9.0'], ['@acme/oauth2-server@0.9.0']],
  ['v1.2.0-rc.1', ['v1.1.0-rc.2', 'v1.1.0', 'v1.0.0'], ['v1.1.0', 'v1.1.0-rc.2', 'v1.0.0']],
  ['v1.1.0', ['v1.0.0.rc1', 'v1.0.0', 'v1.1.0-rc.1'], ['v1.0.0']],
  ['v1.0.0', ['v1.0.0-rc.1'], []],
  ['v1.0.0-rc.2', ['v1.0.0-rc.1', 'v1.0.0', 'v1.0.0-beta'], ['v1.0.0-rc.1', 'v1.0.0-beta']],
  ['v1.0.0-rc.10', ['v1.0.0-rc.9', 'v1.0.0-rc.11', 'v1.0.0-rc'], ['v1.0.0-rc.9', 'v1.0.0-rc']],
  ['v1.0.0rc10', ['v1.0.0rc9', 'v1.0.0rc11', 'v1.0.0b2'], ['v1.0.0rc9', 'v1.0.0b2']],
  ['v1.10.0', ['v1.9.0', 'v1.2.0', 'v1.11.0'], ['v1.9.0', 'v1.2.0']],
  ['v2.0.0+build.7', ['v1.9.0+build.8', 'v2.0.0'], ['v1.9.0+build.8']],
  ['v1.0.1', ['v1', 'v1.0', 'v1.0.0', 'v2'], ['v1.0.0', 'v1.0', 'v1']],
  ['v2', ['v1', 'v3', 'v2-beta'], ['v1']],
  ['1.2.0', ['1.1.0', 'v1.1.9'], ['1.1.0']],
  ['cli@2.0.0', ['cli@1.0.0', 'cli2@1.5.0'], ['cli@1.0.0']],
  ['pkg/v1.1.0', ['pkg/v1.0.0', 'v1.0.9'], ['pkg/v1.0.0']],
  ['lib-2d-v1.1.0', ['lib-2d-v1.0.0', 'lib-3d-v1.0.9'], ['lib-2d-v1.0.0']],
  ['python-3.11-v1.1.0', ['python-3.11-v1.0.0', 'python-3.10-v1.0.9'], ['python-3.11-v1.0.0']],
  ['oauth2.0-client-7', ['oauth2.0-client-6', 'oauth2.0-admin-9'], ['oauth2.0-client-6']],
  ['s3-2.0', ['s3-1.0', 's4-1.0'], ['s3-1.0']],
  ['go1.21.0', ['go1.20.9', 'go1.21rc2'], ['go1.20.9']],
  ['build7', ['build6', 'build8'], ['build6']],
  ['release-42', ['release-41', 'release-43'], ['release-41']],
  ['release-2024-02-15', ['release-2024-01-31', 'release-2023-12-01'], ['release-2024-01-31', 'release-2023-12-01']],
  ['2024.01.15', ['2024.01.02', '2024.02.01'], ['2024.01.02']],
  ['REL_1_10', ['REL_1_9', 'REL_1_11'], ['REL_1_9']],
  ['1.0.1', ['1.0.0.post1', '1.0.0'], ['1.0.0']],
  ['5.1.0.Final', ['5.0.0.Final', '5.1.0.Beta1'], ['5.0.0.Final']],
  ['nightly', ['v1.0.0', 'latest'], []],
] as const)('%s follows what it should of %j', (tag, others, expected) => {
  expect(find(tag, others)).toEqual(expected)
  expect(find(tag, others.toReversed())).toEqual(expected)
})

/** The example of SemVer, section 11. */
test('orders pre-releases as SemVer does', () => {
  const parts = ['alpha', 'alpha.1', 'alpha.beta', 'beta', 'beta.2', 'beta.11', 'rc.1']
  const versions = parts.map((part) => `v1.0.0-${part}`)
  expect(find('v1.0.1-a', ['v1.0.0', ...versions])).toEqual(['v1.0.0', ...versions.toReversed()])
})
