import { expect, test } from '@jest/globals'
import type { Octokit } from '../../src/github/ask-github.ts'
import { connectPermissions, mayWrite } from '../../src/github/permissions.ts'
import { repositoryState } from '../../src/emulator/github/repository-state.ts'
import { askingGitHub } from '../support/github-client.ts'

/** Whether Mona may write, by what GitHub answers. */
function judge(data: object): Promise<boolean> {
  const getCollaboratorPermissionLevel = (): Promise<object> => Promise.resolve({ data })
  const octokit = { rest: { repos: { getCollaboratorPermissionLevel } } } as unknown as Octokit
  return mayWrite(octokit, { owner: 'acme', repo: 'docs' }, { id: 11, login: 'mona' })
}

test.each([
  ['admin', true],
  ['maintain', true],
  ['write', true],
  ['triage', false],
  ['read', false],
  ['none', false],
])('%s may write: %s', async (permission, may) => {
  expect(await judge({ permission, role_name: permission, user: { id: 11 } })).toBe(may)
})

test('a role of somebody’s own counts as what GitHub maps it to', async () => {
  expect(await judge({ permission: 'write', role_name: 'docs-editor', user: { id: 11 } })).toBe(true)
})

test.each([[{ id: 99 }], [null]])('the permission of %j, who has the login now, is not hers', async (user) => {
  expect(await judge({ permission: 'admin', role_name: 'admin', user })).toBe(false)
})

test('without an id, whoever has the login now is asked about', async () => {
  const [mona, dora] = await askingGitHub({ docs: repositoryState({ collaborators: { mona: 'write' } }) }, ({ ask }) =>
    Promise.all(['mona', 'dora'].map((login) => connectPermissions(ask).mayWrite('acme/docs', { login }))),
  )
  expect([mona, dora]).toEqual([true, false])
})

test('a user who is gone may not write, if it is not the repository that cannot be seen', async () => {
  const ask = (repository: string) =>
    askingGitHub({}, ({ ask }) =>
      connectPermissions(ask)
        .mayWrite(repository, { id: 11, login: 'gone' })
        .catch((error: unknown) => error),
    )
  expect(await ask('acme/docs')).toBe(false)
  expect(await ask('acme/hidden')).toMatchObject({ code: 'not-found' })
})
