import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { findReaderRepository } from '../../../../scripts/start/workflow/reader-repository.ts'
import { createTemporaryFolder } from '../../../../testing/temporary-folder.ts'

const PERSON = ['-c', 'user.name=mona', '-c', 'user.email=mona@example.com']

function git(folder: string, ...args: readonly string[]): void {
  execFileSync('git', [...PERSON, ...args], { cwd: folder, stdio: 'ignore' })
}

function createClone(branch = 'trunk'): { readonly folder: string; readonly file: string } {
  const folder = join(createTemporaryFolder(), 'web')
  mkdirSync(join(folder, '.github/workflows'), { recursive: true })
  git(folder, 'init', '-b', branch)
  return { folder, file: join(folder, '.github/workflows/docs.yml') }
}

test('a clone has the name of its remote, and another repository that of its folder', () => {
  const { folder, file } = createClone()
  expect(findReaderRepository(file)).toEqual({ folder, name: 'acme/web', defaultBranch: 'trunk' })
  git(folder, 'remote', 'add', 'upstream', 'https://github.com/them/site.git')
  expect(findReaderRepository(file).name).toBe('them/site')
  git(folder, 'config', 'url.git@github.com:.insteadOf', 'gh:')
  git(folder, 'remote', 'add', 'origin', 'gh:me/site.git')
  expect(findReaderRepository(file).name).toBe('me/site')
})

test('the default branch is that of the remote, also on another branch', () => {
  const { folder, file } = createClone('feature')
  git(folder, 'remote', 'add', 'origin', 'git@github.com:me/site.git')
  expect(findReaderRepository(file).defaultBranch).toBe('feature')
  git(folder, 'symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/release/2')
  expect(findReaderRepository(file).defaultBranch).toBe('release/2')
})

test('a worktree is of the repository of its clone', () => {
  const { folder } = createClone()
  git(folder, 'remote', 'add', 'origin', 'git@github.com:me/site.git')
  git(folder, 'symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main')
  git(folder, 'commit', '--allow-empty', '-m', 'Begin')
  const worktree = join(createTemporaryFolder(), 'fix')
  git(folder, 'worktree', 'add', worktree)
  mkdirSync(join(worktree, '.github/workflows'), { recursive: true })
  expect(findReaderRepository(join(worktree, '.github/workflows/docs.yml'))).toEqual({
    folder: worktree,
    name: 'me/site',
    defaultBranch: 'main',
  })
})

test('a folder in a clone, such as an example, is no clone', () => {
  const { folder } = createClone()
  git(folder, 'remote', 'add', 'origin', 'git@github.com:me/site.git')
  mkdirSync(join(folder, 'example/.github/workflows'), { recursive: true })
  const example = join(folder, 'example/.github/workflows/docs.yml')
  expect(findReaderRepository(example)).toMatchObject({ name: 'acme/example', defaultBranch: 'main' })
})

test.each(['docs.yml', 'my web/.github/workflows/docs.yml'])(
  'the repository of %s is not the docs repository',
  (file) => {
    expect(findReaderRepository(join(createTemporaryFolder(), file)).name).toBe('acme/code')
  },
)
