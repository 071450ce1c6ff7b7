import { expect, test } from '@jest/globals'
import { driveGitHub } from './drive-github.ts'

test.each([
  ['admin', 'admin'],
  ['maintain', 'write'],
  ['write', 'write'],
  ['triage', 'read'],
  ['read', 'read'],
] as const)('the role %s may %s', (role_name, permission) => {
  const { read } = driveGitHub({ docs: { collaborators: { dora: role_name } } })
  const user = { login: 'dora', id: 12, type: 'User' }
  expect(read('/collaborators/dora/permission')).toMatchObject({ permission, role_name, user })
})

test('a stranger may read, an app is no user, and whom nobody knows is not there', () => {
  const { read, ask } = driveGitHub()
  expect(read('/collaborators/dora/permission').permission).toBe('read')
  expect(ask('GET', '/collaborators/link-checker%5Bbot%5D/permission').body).toMatchObject({
    message: 'link-checker[bot] is not a user',
  })
  expect(ask('GET', '/collaborators/nobody/permission').status).toBe(404)
})

test('the repository tells its default branch', () => {
  expect(driveGitHub().read('')).toMatchObject({ full_name: 'acme/docs', default_branch: 'main', id: 1 })
})
