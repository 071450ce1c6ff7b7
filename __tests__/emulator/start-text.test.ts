import { expect, test } from '@jest/globals'

import { startText } from '../../src/emulator/start-text.ts'

const text = startText(
  {
    url: 'http://127.0.0.1:4010',
    apiKey: 'docs_key',
    projectId: 'docs-demo',
    github: { apiUrl: 'http://127.0.0.1:4010/api/v3', token: 'ghs_token' },
  },
  { scenario: 'flaky', speed: 10 },
)

test('the first line gives programs the address', () => {
  expect(text.split('\n')[0]).toBe('listening http://127.0.0.1:4010')
})

test('the rest shows people how to call it', () => {
  for (const line of [
    'DOCS_AGENT_BASE_URL=http://127.0.0.1:4010',
    'DOCS_AGENT_PROJECT_ID=docs-demo',
    'DOCS_AGENT_API_KEY=docs_key',
    "curl http://127.0.0.1:4010/v2/agent/docs-demo/job -H 'Authorization: Bearer docs_key'",
    'GITHUB_API_URL=http://127.0.0.1:4010/api/v3',
    'GITHUB_TOKEN=ghs_token',
    "curl http://127.0.0.1:4010/api/v3/repos/acme/docs/pulls -H 'Authorization: Bearer ghs_token'",
    'the scenario flaky, at 10 times',
  ]) {
    expect(text).toContain(line)
  }
})
