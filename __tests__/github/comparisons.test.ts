import { expect, test } from '@jest/globals'
import {
  type FileChange,
  type RepositoryState,
  createRepositoryState,
} from '../../src/emulator/github/repository-state.ts'
import { stubGitHub, withGitHub, catchError } from '../../testing/github-client.ts'
import { changedRepository, commit, madeCommit } from '../../testing/github-state.ts'

const getSha = (index: number): string => String(index).padStart(40, '0')

/** Creates a branch `next` that is `count` commits ahead of `main`. Its first commit changed the files. */
function createBranch(count: number, files: readonly FileChange[]): RepositoryState {
  const commits = Array.from({ length: count }, (_, index) => {
    const parents = [index === 0 ? commit('a') : getSha(index - 1)]
    return madeCommit({ sha: getSha(index), parents, message: `Change ${index}`, files: index === 0 ? files : [] })
  })
  const branches = { main: commit('a'), next: getSha(count - 1) }
  return createRepositoryState({ commits: [madeCommit({ sha: commit('a') }), ...commits], branches })
}

const compare = (docs: RepositoryState, base = 'main', head = 'next') =>
  withGitHub({ docs }, async (github, { operations }) => ({
    ...(await github.compare('acme/docs', base, head)),
    requests: operations.length,
  }))

test('returns the commits and the files of a comparison', async () => {
  const files = [
    { filename: 'docs/new.md', status: 'renamed', previous_filename: 'docs/old.md', additions: 2, deletions: 1 },
    { filename: 'docs/b.md', status: 'copied', previous_filename: 'docs/old.md' },
    { filename: 'docs/a.md', status: 'added', patch: '@@ -0,0 +1 @@\n+A' },
  ] as const
  const docs = changedRepository({ message: 'Rename\n\nWhy', files })
  const file = { previousPath: undefined, additions: 1, deletions: 0, patch: undefined }
  // GitHub does not know the account of the author's email address.
  const commits = [{ sha: commit('b'), message: 'Rename\n\nWhy', author: 'Ann', account: { login: '', type: '' } }]
  expect(await compare(docs, commit('a'), 'main')).toEqual({
    repositoryName: 'acme/docs',
    relation: 'ahead',
    mergeBase: commit('a'),
    totalCommits: 1,
    fileList: 'complete',
    requests: 1,
    commits: commits.map((one) => expect.objectContaining(one) as unknown),
    files: [
      { ...file, path: 'docs/a.md', status: 'added', patch: '@@ -0,0 +1 @@\n+A' },
      // The original file still exists.
      { ...file, path: 'docs/b.md', status: 'copied' },
      { ...file, path: 'docs/new.md', status: 'renamed', previousPath: 'docs/old.md', additions: 2, deletions: 1 },
    ],
  })
})

test.each([
  ['all commits', 230, 0, 3],
  ['the newest commits, and the number of all', 1_030, 600, 6],
])('reads %s, with the files of the first page', async (_what, count, first, requests) => {
  const found = await compare(createBranch(count, [{ filename: 'docs/a.md' }]))
  expect(found).toMatchObject({ totalCommits: count, files: [{ path: 'docs/a.md' }], requests })
  const messages = Array.from({ length: count - first }, (_, index) => `Change ${first + index}`)
  expect(found.commits.map(({ message }) => message)).toEqual(messages)
})

test.each([
  [299, 299, 'complete'],
  [300, 300, 'truncated'],
  [301, 300, 'truncated'],
])('of %d files returns %d, and the list is %s, because GitHub lists at most 300', async (count, known, fileList) => {
  const changed = Array.from({ length: count }, (_, index) => ({ filename: `docs/${index}.md` }))
  const { files, fileList: actual } = await compare(createBranch(1, changed))
  expect([files.length, actual]).toEqual([known, fileList])
})

test('compares with a branch whose name has a slash', async () => {
  const docs = changedRepository({ files: [] }, { branches: { 'release/1.x': commit('b') } })
  expect((await compare(docs, 'release/1.x', commit('b'))).relation).toBe('identical')
})

test.each(['acme/handbook', 'Acme/Docs'])(
  'returns the current name of the repository for a comparison in %s',
  async (repository) => {
    const docs = changedRepository({ files: [] })
    const old = createRepositoryState({ id: 5, movedTo: 'acme/docs' })
    const repositories = { 'acme/docs': docs, 'acme/handbook': old }
    const found = await withGitHub({ state: { repositories } }, (github) =>
      github.compare(repository, commit('a'), 'main'),
    )
    expect(found).toMatchObject({ repositoryName: 'acme/docs', totalCommits: 1 })
  },
)

const COMPARED = {
  status: 'ahead',
  merge_base_commit: { sha: commit('a') },
  total_commits: 1,
  commits: [{ sha: commit('b'), parents: [], commit: { message: 'Change' } }],
}
const comparing = (data: object) => stubGitHub(() => ({ ...COMPARED, ...data })).compare('acme/docs', 'main', 'next')

test.each<[unknown, 'complete' | 'unreadable', readonly object[]]>([
  [undefined, 'unreadable', []],
  [[], 'complete', []],
  [7, 'unreadable', []],
  [[null, { status: 'modified' }, { filename: 'a', status: 7 }], 'unreadable', []],
  [[{}, { filename: 'a', status: 'modified' }], 'unreadable', [{ path: 'a' }]],
  [
    [{ filename: 'a', status: 'renamed', previous_filename: {} }],
    'unreadable',
    [{ path: 'a', previousPath: undefined }],
  ],
  [[{ filename: 'a', status: 'added', patch: {} }], 'complete', [{ path: 'a', patch: undefined, additions: 0 }]],
])('for the files %j, the list is %s', async (listed, fileList, files) => {
  expect(await comparing({ files: listed })).toMatchObject({ fileList, files })
})

test('accepts a commit without message and author, and rejects a comparison with a malformed commit', async () => {
  const withoutAuthor = { sha: commit('b'), parents: [], commit: { message: 5, author: null } }
  const expected = { sha: commit('b'), message: '', author: '', account: { login: '', type: '' } }
  expect((await comparing({ commits: [withoutAuthor] })).commits).toMatchObject([expected])
  const malformed = [{ status: 'sideways' }, { merge_base_commit: null }, { total_commits: 'many' }, { commits: null }]
  for (const fields of [...malformed, { commits: [null, withoutAuthor] }, { commits: [withoutAuthor, { sha: 7 }] }])
    expect(await catchError(comparing(fields))).toMatchObject({ code: 'invalid-response' })
})
