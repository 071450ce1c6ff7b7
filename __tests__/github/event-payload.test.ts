import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { readEventPayload } from '../../src/github/event-payload.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

function payloadOf(text: string): unknown {
  const file = join(temporaryFolder(), 'event.json')
  writeFileSync(file, text)
  return readEventPayload({ GITHUB_EVENT_PATH: file })
}

test('the payload is what the file of the runner holds', () => {
  expect(payloadOf('{"ref":"refs/heads/main"}')).toEqual({ ref: 'refs/heads/main' })
})

test('a file that cannot be read is no event', () => {
  expect(payloadOf('{"ref":')).toBeUndefined()
  expect(readEventPayload({ GITHUB_EVENT_PATH: '/no/such/file.json' })).toBeUndefined()
  expect(readEventPayload({})).toBeUndefined()
})
