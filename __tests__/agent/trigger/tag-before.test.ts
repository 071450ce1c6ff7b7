import { expect, test } from '@jest/globals'
import { findTagsBefore } from '../../../src/agent/trigger/tag-before.ts'

test.each<[string, string[], string[]]>([
  ['v1.10.0', ['v1.9.0', 'v1.10.0', 'v1.2.0', 'v2.0.0'], ['v1.9.0', 'v1.2.0']],
  ['v1.0.0', ['v1.0.0-rc.1', 'v0.9.0'], ['v0.9.0']],
  ['v1.0.1', ['v1.0.0-rc.2', 'v1.0.0'], ['v1.0.0']],
  ['v1.0.0-rc.2', ['v1.0.0-rc.1', 'v0.9.0'], ['v1.0.0-rc.1', 'v0.9.0']],
  ['cli@1.1.0', ['cli@1.0.0', 'web@1.0.5', 'v1.0.0'], ['cli@1.0.0']],
  ['2026-11-01', ['2026-10-01', '2026-09-01'], ['2026-10-01', '2026-09-01']],
  ['v1.0.0', [], []],
])('before %s of %j come %j', (tag, tags, expected) => {
  expect(findTagsBefore(tag, tags)).toEqual(expected)
})
