import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import type { Environment } from '../../src/runtime/environment.ts'
import { announceSkip } from '../../src/action/announce-skip.ts'
import { fakeHost } from '../support/fake-host.ts'
import { commit } from '../support/github-state.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

function said(env: Environment): string[] {
  const host = fakeHost()
  announceSkip(host, env)
  return host.said
}

/** A pull request to acme/docs, as the runner tells of it. */
function pullRequestFrom(full_name: string): Environment {
  const file = join(temporaryFolder(), 'event.json')
  const pull_request = { head: { sha: commit('a'), repo: { full_name } } }
  writeFileSync(file, JSON.stringify({ pull_request, repository: { full_name: 'acme/docs' } }))
  return { GITHUB_ACTOR: 'ann', GITHUB_EVENT_NAME: 'pull_request', GITHUB_EVENT_PATH: file }
}

const NOTICE: readonly unknown[] = [expect.stringMatching(/^notice: /)]
const WARNING: readonly unknown[] = [expect.stringMatching(/^warn: .*Check the name of the secret/)]

test('a run that gets no secrets is skipped with a notice', () => {
  expect(said({ GITHUB_ACTOR: 'dependabot[bot]' })).toEqual(NOTICE)
  expect(said(pullRequestFrom('stranger/docs'))).toEqual(NOTICE)
})

test('a run that may have secrets is warned of', () => {
  expect(said({ GITHUB_ACTOR: 'ann' })).toEqual(WARNING)
  expect(said(pullRequestFrom('acme/docs'))).toEqual(WARNING)
})
