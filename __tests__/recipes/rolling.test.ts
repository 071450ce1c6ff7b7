import { expect, test } from '@jest/globals'
import { docsRepository, PUSH_EVENT } from '../support/github-run.ts'
import {
  commit,
  pullState,
  repositoryState,
  TOKEN,
  type PullState,
  type RepositoryState,
} from '../support/github-state.ts'
import { permissionsOf, playRecipe, type PlayedRecipe } from '../support/recipe-run.ts'

/** The service begins with pull request 1 of `job_finished`, and with `job_archived`. */
function marked(jobId: string, fields: Partial<PullState> = {}): PullState {
  const body = `<!-- docs-agent-action: job=${jobId} -->`
  return pullState({ labels: ['docs-agent'], comments: [{ body, userType: 'Bot', association: 'NONE' }], ...fields })
}

function change(before: string): RepositoryState['comparisons'] {
  const commits = [{ sha: commit('b'), message: 'Add a flag' }]
  return { [`${before}...${commit('b')}`]: { relation: 'ahead', commits, files: [{ filename: 'src/flags.ts' }] } }
}

function week(pulls: RepositoryState['pulls'], onRequest?: (operation: string) => void): Promise<PlayedRecipe> {
  const runs = [{ id: 41, workflow: 'docs.yml', branch: 'main', headSha: commit('e'), conclusion: 'success' } as const]
  return playRecipe('rolling-on-schedule', {
    repositories: { 'acme/docs': docsRepository({ comparisons: change(commit('e')), runs, pulls }) },
    permissions: permissionsOf('rolling-on-schedule'),
    eventName: 'schedule',
    ...(onRequest === undefined ? {} : { onRequest }),
  })
}

test('what was changed goes to the open pull request of the agent', async () => {
  const { steps, prompts } = await week({ 1: marked('job_finished') })

  expect(steps['docs']?.outputs).toMatchObject({ continued: 'pull-request', 'job-id': 'job_finished' })
  expect(prompts).toEqual([expect.stringContaining('M src/flags.ts')])
  expect(prompts[0]).toContain('Pull request #1 of acme/docs, which you opened, is still open.')
})

test('a pull request that is closed in between makes room for a new job', async () => {
  const pull = marked('job_finished')
  const { steps, prompts } = await week({ 1: pull }, (operation) => {
    if (operation === 'issues/update-comment') pull.state = 'closed'
  })

  expect(steps['docs']?.outputs).toMatchObject({ continued: '', 'pr-number': '4', outcome: 'pull-request' })
  expect(prompts).toHaveLength(1)
})

test.each([
  ['an archived job', { 1: marked('job_archived') }],
  ['a marker of another pull request', { 9: marked('job_finished') }],
  ['a job that nobody knows', { 9: marked('job_of_a_stranger') }],
])('%s is passed over, and a new job begins', async (_name, pulls) => {
  const { steps, prompts } = await week(pulls)

  expect(steps['docs']?.outputs).toMatchObject({ continued: '', 'pr-number': '4' })
  expect(steps['docs']?.output).toContain('is passed over')
  expect(prompts).toHaveLength(1)
})

test.each([
  ['skipped', { 1: marked('job_finished') }],
  ['pull-request', {}],
])('no new job while one waits for review: %s', async (outcome, pulls) => {
  const { steps } = await playRecipe('rolling-skip', {
    repositories: { 'acme/docs': docsRepository({ pulls }) },
    permissions: permissionsOf('rolling-skip'),
    eventName: 'schedule',
  })

  expect(steps['docs']).toMatchObject({ conclusion: 'success', outputs: { outcome } })
})

test('a push to the code goes to the open pull request in the docs repository', async () => {
  const { steps, prompts } = await playRecipe('rolling-two-repositories', {
    repositories: {
      'acme/code': repositoryState({ comparisons: change(commit('a')) }),
      'acme/docs': docsRepository({ pulls: { 1: marked('job_finished') } }),
    },
    repository: 'acme/code',
    eventName: 'push',
    event: PUSH_EVENT,
    actions: {
      'actions/create-github-app-token@fee1f7d63c2ff003460e3d139729b119787bc349': () => ({ token: TOKEN }),
    },
  })

  expect(steps['docs']?.outputs).toMatchObject({ continued: 'pull-request', 'pr-repository': 'acme/docs' })
  expect(prompts).toEqual([expect.stringContaining('What changed in acme/code')])
})
