import { expect, test } from '@jest/globals'
import { ENDINGS, hasFile } from '../../src/visitors/report.ts'

test('only an export that was read to its end leaves a file', () => {
  expect(ENDINGS.filter((ending) => hasFile({ ending }))).toEqual(['complete', 'uncertain'])
})
