import { expect, test } from '@jest/globals'
import type { AskGitHub, Octokit } from '../../src/github/ask-github.ts'
import { readPermission } from '../../src/github/permissions.ts'

/** A GitHub that gives this answer to whoever asks what a user may do. */
function answering(data: object): AskGitHub {
  const getCollaboratorPermissionLevel = (): Promise<object> => Promise.resolve({ data })
  return (_need, call) => call({ rest: { repos: { getCollaboratorPermissionLevel } } } as unknown as Octokit)
}

test.each([
  ['admin', true],
  ['maintain', true],
  ['write', true],
  ['triage', false],
  ['read', false],
  ['none', false],
])('%s may write: %s', async (permission, mayWrite) => {
  const ask = answering({ permission, role_name: permission, user: { id: 11 } })
  expect(await readPermission(ask, 'acme/docs', 'mona')).toEqual({ userId: 11, mayWrite })
})

test('a role of somebody’s own counts as what GitHub maps it to', async () => {
  const ask = answering({ permission: 'write', role_name: 'docs-editor', user: null })
  expect(await readPermission(ask, 'acme/docs', 'mona')).toEqual({ userId: undefined, mayWrite: true })
})
