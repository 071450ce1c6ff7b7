import { expect, test } from '@jest/globals'
import { connectGitHub } from '../../src/github/connect-github.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { startEmulator } from '../../src/emulator/server.ts'
import { RUN_FACTS } from '../support/fake-github.ts'
import { withShortPauses } from '../support/github-client.ts'
import { observeGitHub } from '../support/observe-github.ts'
import { commit, repositoryWithPull } from '../support/github-state.ts'

test('asks for everything at the address that it is given, with the token', async () => {
  const observed = observeGitHub({ state: { repositories: { 'acme/docs': repositoryWithPull() } } })
  const server = await startEmulator({ github: observed.options })
  const address = { repository: 'acme/docs', number: 7 }
  try {
    const github = connectGitHub({
      token: server.github.token,
      apiUrl: server.github.apiUrl,
      env: {},
      clock: systemClock,
      signal: new AbortController().signal,
      deadlineAt: systemClock.now() + 120_000,
      debug: () => undefined,
      redact: (text) => text,
    })
    await withShortPauses(async () => {
      await github.compare('acme/docs', 'main', 'agent/guide')
      await github.findLastSuccesses({ repository: 'acme/docs', workflow: 'docs.yml', branch: 'main', runId: 1 })
      await github.listTags('acme/docs')
      await github.findPullRequestsOfCommit('acme/docs', commit('a'))
      await github.listOpenPullRequests('acme/docs', 'docs-agent')
      await github.readPullRequest(address)
      await github.listPullRequestCommits(address)
      await github.addLabel(address, 'docs-agent')
      await github.addComment(address, '<!-- docs-agent-action: job=job_1 -->')
      const [comment] = await github.listMarkerComments(address)
      await github.editComment(address, comment?.id ?? 0, 'hello again')
      await github.readChecks('acme/docs', commit('c'), RUN_FACTS)
    })
    expect(observed.requests).toHaveLength(15)
    expect(observed.violations).toEqual([])
  } finally {
    await server.close()
  }
}, 120_000)
