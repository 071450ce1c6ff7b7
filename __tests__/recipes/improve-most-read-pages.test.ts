import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { timesFaster } from '../../scripts/small-runner/faster-time.ts'
import { preload } from '../../scripts/small-runner/preload.ts'
import { EMULATOR_KEY, EXPIRED_KEY } from '../../src/emulator/http/access.ts'
import { startEmulator, type EmulatorOptions } from '../../src/emulator/server.ts'
import { playWorkflow, type PlayedWorkflow } from '../support/play-workflow.ts'
import { NODE_24 } from '../support/visitors-bundle.ts'

const recipe = readFileSync(new URL('../../docs/recipes/improve-most-read-pages.yml', import.meta.url), 'utf8')

/** Its scripts are for bash, which runners have on every system and other machines may not. */
const testWithBash = process.platform === 'win32' ? test.skip : test

interface Played extends PlayedWorkflow {
  /** What the service's agent was asked to do. */
  readonly prompts: readonly (string | undefined)[]
}

/** Against a service whose visits end today, and whose time runs fast enough that the agent is done at the first look. */
async function play(options: EmulatorOptions, apiKey = EMULATOR_KEY): Promise<Played> {
  const service = await startEmulator({ startMs: Date.now(), speed: 1_000, ...options })
  try {
    const played = await playWorkflow(recipe, {
      vars: { DOCS_AGENT_BASE_URL: service.url, DOCS_AGENT_PROJECT_ID: service.projectId },
      secrets: { DOCS_AGENT_API_KEY: apiKey },
      node: NODE_24,
      github: { token: service.github.token },
      env: {
        ...preload(timesFaster(10)),
        ...{ GITHUB_API_URL: service.github.apiUrl, GITHUB_SERVER_URL: service.url, GITHUB_REPOSITORY: 'acme/docs' },
      },
    })
    const prompts = service.requests.filter(({ method }) => method === 'POST').map(({ prompt }) => prompt)
    return { ...played, prompts }
  } finally {
    await service.close()
  }
}

testWithBash('the agent is asked to improve exactly the pages that are read most', async () => {
  const { steps, prompts } = await play({})

  const topPages = JSON.parse(steps['visitors']?.outputs['top-pages'] ?? '') as { path: string }[]
  expect(topPages).toHaveLength(5)
  expect(prompts).toHaveLength(1)
  expect(prompts[0]?.split('\n').filter((line) => line.startsWith('- '))).toEqual(
    topPages.map(({ path }) => `- ${path}`),
  )
  expect(steps['docs']).toMatchObject({ conclusion: 'success', outputs: { outcome: 'pull-request' } })
})

testWithBash(
  'paths that are more than paths get into no instruction, and without any the agent is not asked',
  async () => {
    const { steps, prompts } = await play({ scenario: 'hostile' })

    expect(steps['visitors']).toMatchObject({ conclusion: 'success', outputs: { rows: '30' } })
    expect(steps['instruction']).toMatchObject({ conclusion: 'success', outputs: { pages: '0' } })
    expect(steps['docs']?.conclusion).toBe('skipped')
    expect(prompts).toEqual([])
  },
)

testWithBash('where the visitors cannot be read, the agent is not asked', async () => {
  const { steps, prompts } = await play({}, EXPIRED_KEY)

  expect(steps['visitors']?.conclusion).toBe('failure')
  expect(steps['docs']?.conclusion).toBe('skipped')
  expect(prompts).toEqual([])
})
