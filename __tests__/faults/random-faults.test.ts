import { jest, test } from '@jest/globals'
import { randomScript } from './random-scripts.ts'
import { tryScripts } from './try-scripts.ts'

/** The same scripts each time; others are drawn with `FAULT_SEED`, and more of them with `FAULT_RUNS`. */
const first = Number(process.env['FAULT_SEED'] ?? 1)
const runs = Number(process.env['FAULT_RUNS'] ?? 150)

jest.setTimeout(3_600_000)

test('every promise holds where one fault follows the other', async () => {
  await tryScripts(Array.from({ length: runs }, (_, index) => randomScript(first + index)))
})
