import { test } from '@jest/globals'
import { EXPIRED_KEY } from '../../src/emulator/access.ts'
import { embedded, expectExport, runVisitors } from '../support/visitors-bundle.ts'

test('a key that is refused ends red at once', async () => {
  const run = await runVisitors({ service: embedded(), inputs: { 'api-key': EXPIRED_KEY } })

  expectExport(run, {
    conclusion: 'failure',
    verdict: '❌ The key was refused',
    says: ['The service refused the key (401).', 'Keys can expire.'],
    offsets: [0],
  })
})
