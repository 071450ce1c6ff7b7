import { expect, test } from '@jest/globals'
import { expectPullRequest } from '../support/bundle-expect.ts'
import { runBundle } from '../support/bundle-run.ts'

const PROMPT = [
  '\ufeff  Leading spaces, a tab\tand a trailing one \r\n',
  '::error title=injected::a line that looks like a command\n',
  '##[warning]and another\r',
  'Grüße, 日本語, 👩‍👩‍👧, e\u0301, \u202eright to left\u202c, %0A%25, \\n, "quotes", $HOME, </pre><img src=x> @everyone\n',
  '\n',
].join('')

test('a prompt reaches the service byte for byte, and nothing in it comes alive', async () => {
  const run = await runBundle({ inputs: { prompt: PROMPT } })

  expectPullRequest(run)
  expect(run.prompts).toEqual([PROMPT])
})
