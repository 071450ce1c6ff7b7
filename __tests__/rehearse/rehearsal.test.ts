import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, jest, test } from '@jest/globals'
import type { StepResult } from '../../src/action/execute.ts'
import { rehearse, type RehearsalPorts } from '../../src/rehearse/rehearsal.ts'
import { fakeHost } from '../support/fake-host.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

// Starting a process can take seconds on a busy machine.
jest.setTimeout(60_000)

const SERVES = `
  const server = require('node:http').createServer((_, response) => {
    response.setHeader('service-instance', process.pid)
    response.end('x')
  })
  server.listen(0, '127.0.0.1', () => {
    console.log('listening http://127.0.0.1:' + server.address().port)
    console.log('  DOCS_AGENT_PROJECT_ID=docs-demo\\n  DOCS_AGENT_API_KEY=key')
    console.log('  GITHUB_API_URL=http://127.0.0.1/api/v3\\n  GITHUB_TOKEN=ghs_1\\nRequests:')
    console.log('started with ' + process.argv.slice(2).join(' '))
  })
  process.on('SIGTERM', () => process.exit())
`

/** The two steps of one action, which share what the first one saves. */
function steps(source: string, inputs: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder()
  const program = join(folder, 'service.cjs')
  writeFileSync(program, source)
  const state = new Map<string, string>()
  const host = fakeHost(inputs)
  const kit: RehearsalPorts['kit'] = {
    getState: (name) => state.get(name) ?? '',
    saveState: (name, value) => state.set(name, value),
  }
  const clock = { now: () => 0, wallTime: () => new Date(0), sleep: () => sleep(5), turn: () => sleep(0) }
  const env = { RUNNER_TEMP: folder, GITHUB_REPOSITORY: 'me/guide' }
  const step = (): Promise<StepResult> =>
    rehearse({ core: host, clock, signal: new AbortController().signal, kit, env, program })
  return { step, said: host.said, files: () => readdirSync(folder).filter((name) => name.endsWith('.log')) }
}

test('the main step starts the service, and tells how to reach both its parts', async () => {
  const { step, said, files } = steps(SERVES, { 'github-scenario': 'checks-fail' })
  expect(await step()).toMatchObject({
    isGreen: true,
    outputs: {
      'base-url': expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      'api-key': 'key',
      'project-id': 'docs-demo',
      'github-api-url': 'http://127.0.0.1/api/v3',
      'github-token': 'ghs_1',
    },
  })
  expect(files()).toHaveLength(1)

  expect(await step()).toMatchObject({ isGreen: true, title: 'The embedded documentation service was stopped' })
  const log = said.find((line) => line.startsWith('log: started with')) ?? ''
  expect(log).toContain('--github-scenario=checks-fail')
  expect(log).toContain('--github-repository=me/guide')
  expect(said.join()).not.toContain('mask')
  expect(files()).toEqual([])

  expect(await step()).toMatchObject({ isGreen: true, title: 'There was no service left to stop' })
  expect(said.at(-1)).toMatch(/^warn: /)
})

test('a service that does not start makes the step red, and leaves no log', async () => {
  const { step, files } = steps("console.error('error: --github-scenario must be nicer.'); process.exitCode = 2")
  expect(await step()).toMatchObject({
    isGreen: false,
    title: 'The rehearsal did not start',
    text: expect.stringContaining('`github-scenario` must be nicer.'),
    outputs: {},
  })
  expect(files()).toEqual([])
  expect(await step()).toMatchObject({ isGreen: true, title: 'There is no service to stop' })
})
