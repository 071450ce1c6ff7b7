import { expect, test } from '@jest/globals'
import { connectGitHub } from '../../src/github/connect-github.ts'
import { systemClock } from '../../src/shared/clock.ts'
import { withShortPauses } from '../support/github-client.ts'
import { startGitHub } from '../support/github-server.ts'
import { commit, pullState, repositoryState, TOKEN } from '../support/github-state.ts'
import { OPERATIONS } from '../support/github-operations.ts'

test('asks for everything at the address that it is given, with the token', async () => {
  const repository = repositoryState({
    pulls: { 7: pullState() },
    comparisons: { 'main...next': { relation: 'identical', commits: [], files: [] } },
  })
  const server = await startGitHub({ state: { repositories: { 'acme/docs': repository } } })
  const address = { repository: 'acme/docs', number: 7 }
  try {
    const github = connectGitHub({
      token: TOKEN,
      apiUrl: server.url,
      env: {},
      clock: systemClock,
      signal: new AbortController().signal,
      deadlineAt: systemClock.now() + 30_000,
      debug: () => undefined,
      redact: (text) => text,
    })
    await withShortPauses(async () => {
      await github.compare('acme/docs', 'main', 'next')
      await github.findLastSuccess({ repository: 'acme/docs', workflow: 'docs.yml', branch: 'main', runId: 1 })
      await github.findPullRequestsOfCommit('acme/docs', commit('a'))
      await github.listOpenPullRequests('acme/docs', 'docs-agent')
      await github.readPullRequest(address)
      await github.listPeoplesCommits(address)
      await github.listPullRequestFiles(address)
      await github.listTrustedComments(address)
      await github.addLabel(address, 'docs-agent')
      await github.addComment(address, 'hello')
      const [comment] = await github.listComments(address)
      await github.editComment('acme/docs', comment?.id ?? 0, 'hello again')
      await github.readChecks('acme/docs', commit('c'), 1)
    })
    expect(new Set(server.requests)).toEqual(new Set(Object.keys(OPERATIONS)))
    expect(server.violations).toEqual([])
  } finally {
    await server.close()
  }
}, 30_000)
