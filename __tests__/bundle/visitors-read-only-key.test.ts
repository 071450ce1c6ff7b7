import { expect, test } from '@jest/globals'
import { READ_ONLY_KEY } from '../../src/emulator/access.ts'
import { embedded, runVisitors } from '../support/visitors-bundle.ts'

test('a key that can only read is enough', async () => {
  const run = await runVisitors({ service: embedded(), inputs: { 'api-key': READ_ONLY_KEY } })

  expect(run).toMatchObject({ conclusion: 'success', outputs: { rows: '30', complete: 'true' }, offsets: [0] })
})
