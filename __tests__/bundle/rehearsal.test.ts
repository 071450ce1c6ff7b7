import { existsSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { askService } from '../../src/rehearse/ask-service.ts'
import { runStage } from '../support/run-stage.ts'

test('a rehearsal starts the service, an agent step runs against it, and the post step stops it and shows its log', async () => {
  const rehearsal = await runStage('emulator', { inputs: { scenario: 'no-changes', speed: '1000' } })
  expect(rehearsal).toMatchObject({ conclusion: 'success', annotations: [], masks: [] })
  const { 'base-url': baseUrl = '', 'project-id': projectId = '', 'api-key': apiKey = '' } = rehearsal.outputs
  expect(Object.keys(rehearsal.outputs).sort()).toEqual([
    'api-key',
    'base-url',
    'github-api-url',
    'github-token',
    'project-id',
  ])
  expect(await askService(baseUrl)).toEqual(expect.any(Number))

  const agent = await runStage('.', {
    inputs: {
      prompt: 'Document the --dry-run flag.',
      'poll-interval-seconds': '0.1',
      'base-url': baseUrl,
      'project-id': projectId,
      'api-key': apiKey,
    },
  })
  expect(agent).toMatchObject({ conclusion: 'success', outputs: { outcome: 'no-changes', 'job-id': 'job_000001' } })

  const post = await runStage('emulator', { stage: 'post', state: rehearsal.state })
  expect(post).toMatchObject({ conclusion: 'success', annotations: [] })
  expect(await askService(baseUrl)).toBe('nobody')
  const log = post.rawOutput
  expect(log).not.toMatch(/Ctrl-C|npm start/)
  expect(log).toMatch(/::group::Log of .*[^]*POST \/v2\/agent\/docs-demo\/job -> \d+[^]*::endgroup::/)
  const { logFile } = JSON.parse(rehearsal.state['service'] ?? '{}') as { logFile?: string }
  expect(existsSync(logFile ?? '')).toBe(false)

  const again = await runStage('emulator', { stage: 'post', state: rehearsal.state })
  expect(again.conclusion).toBe('success')
  expect(again.annotations).toMatchObject([{ message: expect.stringContaining('was not there any more') }])
})
