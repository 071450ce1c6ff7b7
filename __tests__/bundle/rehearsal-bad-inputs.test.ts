import { expect, test } from '@jest/globals'
import { runStage } from '../support/run-stage.ts'

test('all bad inputs of a rehearsal are one clear error, and its post step has nothing to do', async () => {
  const inputs = { scenario: 'nice', speed: 'fast', port: '70000' }
  const rehearsal = await runStage('emulator', { inputs })
  expect(rehearsal).toMatchObject({ conclusion: 'failure', exitCode: 1, outputs: {} })
  expect(rehearsal.annotations).toHaveLength(1)
  const error = JSON.stringify(rehearsal.annotations)
  expect(error).toContain('`scenario` must be one of pull-request, no-changes, failed')
  expect(error).toContain('`speed` must be a number from 0.001 to 10000')
  expect(error).toContain('`port` must be an integer from 0 to 65535')

  const post = await runStage('emulator', { stage: 'post', state: rehearsal.state })
  expect(post).toMatchObject({ conclusion: 'success', annotations: [] })
  expect(post.rawOutput).toContain('There is no service to stop')
})

test('a port that is taken is one clear error', async () => {
  const first = await runStage('emulator', { inputs: {} })
  const port = new URL(first.outputs['base-url'] ?? '').port
  const second = await runStage('emulator', { inputs: { port } })
  await runStage('emulator', { stage: 'post', state: first.state })
  expect(second.conclusion).toBe('failure')
  expect(second.annotations.map(({ message }) => message)).toEqual([expect.stringContaining('EADDRINUSE')])
})
