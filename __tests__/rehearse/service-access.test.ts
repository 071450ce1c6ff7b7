import { expect, test } from '@jest/globals'
import { startText } from '../../src/emulator/start-text.ts'
import { readServiceAccess, withoutStartText } from '../../src/rehearse/service-access.ts'

const access = {
  baseUrl: 'http://127.0.0.1:4010',
  projectId: 'docs-demo',
  apiKey: 'docs_emulator_1',
  gitHubApiUrl: 'http://127.0.0.1:4010/api/v3',
  gitHubToken: 'ghs_token',
}
const text = startText(
  { ...access, url: access.baseUrl, github: { apiUrl: access.gitHubApiUrl, token: access.gitHubToken } },
  { scenario: 'pull-request', speed: 1 },
)

test('the address, the project and the key are read from what the service prints', () => {
  expect(readServiceAccess(`${text}\nPOST /v2/agent/docs-demo/job -> 201\n`)).toEqual(access)
})

test('a text that is not whole yet gives nothing', () => {
  const whole = `${text}\n`
  const keyEnd = whole.indexOf('DOCS_AGENT_API_KEY=') + `DOCS_AGENT_API_KEY=${access.apiKey}`.length
  for (const end of [0, 10, whole.indexOf('\n') + 1, keyEnd - 1, keyEnd]) {
    expect(readServiceAccess(whole.slice(0, end))).toBeUndefined()
  }
  expect(readServiceAccess(whole.slice(0, keyEnd + 1))).toEqual(access)
})

test('of what the service wrote, only what came after its start is for the log of a runner', () => {
  expect(withoutStartText(`${text}\nPOST /v2/agent/docs-demo/job -> 201\n`)).toBe(
    'POST /v2/agent/docs-demo/job -> 201\n',
  )
  expect(withoutStartText(`${text}\n`)).toBe('')
  expect(withoutStartText('Error: it broke\n')).toBe('Error: it broke\n')
})
