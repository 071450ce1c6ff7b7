import { expect, test } from '@jest/globals'

import type { ScenarioName } from '../../../src/emulator/service/scenarios.ts'
import { bodyOf, driveService } from '../drive-service.ts'

/** Reads the list as the export does, in the largest parts, up to so many of them. */
function readParts(scenario: ScenarioName, most: number): { paths: string[]; hasMore: boolean | undefined }[] {
  const { get } = driveService({ scenario })
  const parts: { paths: string[]; hasMore: boolean | undefined }[] = []
  for (
    let offset = 0;
    parts.length < most && parts.at(-1)?.hasMore !== false;
    offset += parts.at(-1)?.paths.length ?? 0
  ) {
    const { visitors = [], hasMore } = bodyOf(get(`/v1/analytics/docs/visitors?limit=250&offset=${offset}`))
    parts.push({ paths: visitors.map(({ path }) => path), hasMore })
  }
  return parts
}

const [usual = { paths: [], hasMore: true }] = readParts('pull-request', 1)

test('as it should be, the list comes as it is asked for', () => {
  expect(usual).toMatchObject({ paths: { length: 30 }, hasMore: false })
})

test('a list that moves has every page, and one of them twice', () => {
  const parts = readParts('moving-pages', 10)
  expect(parts.map(({ paths }) => paths.length)).toEqual([10, 10, 10, 1])
  const paths = parts.flatMap((part) => part.paths)
  expect([...new Set(paths)]).toEqual(usual.paths)
  expect(paths.filter((path, index) => paths.indexOf(path) !== index)).toEqual([usual.paths[9]])
})

test('a list that is stuck begins anew with every part, and says that there is more', () => {
  expect(readParts('stuck-pages', 3)).toEqual(Array(3).fill({ ...usual, hasMore: true }))
})

test('one path is longer than 8 KiB', () => {
  const [{ paths: [long = '', ...others] } = usual] = readParts('long-path', 1)
  expect(long.length).toBeGreaterThan(8 * 1024)
  expect(others).toEqual(usual.paths.slice(1))
})

test('a list without end has more than an hour would allow, and no page twice', () => {
  const parts = readParts('endless-pages', 101)
  expect(parts).toHaveLength(101)
  const paths = parts.flatMap((part) => part.paths)
  expect(new Set(paths).size).toBe(101 * 250)
  expect(paths.every((path) => path.length > 8_000 && path.length < 8 * 1024)).toBe(true)
})
