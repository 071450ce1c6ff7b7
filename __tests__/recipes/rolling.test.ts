import { expect, test } from '@jest/globals'
import { DEFAULT_START_MS } from '../../src/emulator/embedded-service.ts'
import { TOKEN_USER } from '../../src/emulator/github/demo-state.ts'
import { pullState, type PullState } from '../../src/emulator/github/pull-state.ts'
import { closeIssue } from '../../src/emulator/github/repository-events.ts'
import { PUSH } from '../support/fake-github.ts'
import { changedRepository, commit } from '../support/github-state.ts'
import { permissionsOf, playRecipe, type PlayedRecipe, type RecipeOptions } from '../support/recipe-run.ts'

const CODE = [{ filename: 'src/flags.ts' }]
/** The service begins with pull request 1, of `job_finished`. */
const OPEN = { gitHubScenarios: ['open-pull-request'] } as const

/** A pull request with the label, and the marker of a job that is not its own. */
function markedPull(jobId: string): PullState {
  const body = `<!-- docs-agent-action: job=${jobId} -->`
  return pullState({
    ...{ branch: 'somebody/guide', headSha: commit('c'), labels: ['docs-agent'] },
    comments: [{ id: 901, user: TOKEN_USER, body, createdAtMs: 0, reactions: [] }],
  })
}

/** `marked`: the job that the comment in pull request 9 names. */
function push(options: Partial<RecipeOptions> & { readonly marked?: string }): Promise<PlayedRecipe> {
  const { marked, ...others } = options
  const docs = changedRepository(
    { from: 'e', files: CODE },
    {
      workflowRuns: [
        {
          ...{ id: 41, workflow: 'docs.yml', branch: 'main', headSha: commit('e'), event: 'push', createdAtMs: 0 },
          ...{ status: 'completed', conclusion: 'success' },
        },
      ],
      pulls: marked === undefined ? {} : { 9: markedPull(marked) },
    },
  )
  return playRecipe('rolling-on-push', {
    repositories: { 'acme/docs': docs },
    permissions: permissionsOf('rolling-on-push'),
    eventName: 'push',
    event: { ...PUSH, ref: 'refs/heads/main' },
    ...others,
  })
}

test('a push goes to the open pull request, with all since the last run that succeeded', async () => {
  const { steps, prompts } = await push(OPEN)

  expect(steps['docs']?.outputs).toMatchObject({ continued: 'pull-request', 'job-id': 'job_finished' })
  expect(prompts).toEqual([expect.stringMatching(/everything since the last successful run[^]*M src\/flags\.ts/)])
})

test('a pull request that is closed in between makes room for a new job', async () => {
  const { steps, prompts } = await push({
    ...OPEN,
    beforeAnswer: (operation, _before, { state }) => {
      const { 'acme/docs': docs } = state.repositories
      const pull = docs?.pulls[1]
      if (operation === 'issues/update-comment' && docs && pull) closeIssue(docs, pull, DEFAULT_START_MS)
    },
  })

  expect(steps['docs']?.outputs).toMatchObject({ continued: '', 'pr-number': '4', outcome: 'pull-request' })
  expect(prompts).toHaveLength(1)
})

test.each([
  ['an archived job', 'job_archived', 'is archived'],
  ['a marker of another pull request', 'job_finished', 'has another pull request'],
  ['a job that nobody knows', 'job_of_a_stranger', 'is not known'],
])('%s is passed over, and a new job begins', async (_name, marked, why) => {
  const { steps, prompts } = await push({ marked })

  expect(steps['docs']?.outputs).toMatchObject({ continued: '', 'pr-number': '4' })
  expect(steps['docs']?.output).toContain(`is passed over: job ${marked} ${why}.`)
  expect(prompts).toHaveLength(1)
})
