import { EventEmitter } from 'node:events'
import { expect, test } from '@jest/globals'
import { runProgram } from '../../src/emulator/program.ts'

/** A process of which only what the service uses is there. */
function fakeProcess(...args: string[]) {
  const events = new EventEmitter()
  const output = Object.assign(new EventEmitter(), { text: '', write: (text: string) => (output.text += text) })
  const errors = { text: '', write: (text: string) => (errors.text += text) }
  const argv = ['node', 'emulator', ...args]
  return {
    argv,
    pid: 7,
    stdout: output,
    stderr: errors,
    once: events.once.bind(events),
    send: events.emit.bind(events),
  }
}

test('it tells where it listens, logs requests to both parts, and ends when it is told to', async () => {
  const self = fakeProcess('--port=0', '--github-scenario=draft', '--github-repository=me/guide')
  expect(await runProgram(self)).toBe(0)
  const url = /^listening (\S+)\n/.exec(self.stdout.text)?.[1] ?? ''

  const { status, headers } = await fetch(`${url}/v2/agent/docs/job/job_1`)
  expect([status, headers.get('service-instance')]).toEqual([401, '7'])
  const token = /GITHUB_TOKEN=(\S+)/.exec(self.stdout.text)?.[1] ?? ''
  const pulls = `${url}/api/v3/repos/me/guide/pulls`
  expect((await fetch(pulls, { headers: { authorization: `token ${token}` } })).status).toBe(200)
  expect(self.stdout.text).toContain(
    'GET /v2/agent/docs/job/job_1 -> 401 (pull-request)\nGET /api/v3/repos/me/guide/pulls -> 200\n',
  )

  self.stdout.emit('error')
  self.send('SIGTERM')
  const isStillThere = (): Promise<boolean> =>
    fetch(pulls).then(
      // Another program may have the port by then.
      (answer) => answer.headers.get('service-instance') === '7',
      () => false,
    )
  while (await isStillThere());
})

test('--help starts nothing', async () => {
  const self = fakeProcess('--help')
  expect(await runProgram(self)).toBe(0)
  expect(self.stdout.text).toContain('--github-scenario')
  expect(self.stdout.text).not.toMatch(/^listening/m)
})

test('a wrong command line and a port that is taken are told, with exit codes of their own', async () => {
  const wrong = fakeProcess('--port=x')
  expect(await runProgram(wrong)).toBe(2)
  expect(wrong.stderr.text).toMatch(/^error: --port must be .* See --help\.\n$/)

  const first = fakeProcess('--port=0')
  await runProgram(first)
  const second = fakeProcess(`--port=${/:(\d+)\n/.exec(first.stdout.text)?.[1] ?? ''}`)
  expect(await runProgram(second)).toBe(1)
  expect(second.stderr.text).toMatch(/^error: The service did not start: .*EADDRINUSE/)
  first.send('SIGINT')
})
