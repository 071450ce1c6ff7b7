import { expect, test } from '@jest/globals'
import { type FileChange, type RepositoryState, repositoryState } from '../../src/emulator/github/repository-state.ts'
import { answering, askingGitHub, errorOf } from '../support/github-client.ts'
import { changedRepository, commit, madeCommit } from '../support/github-state.ts'

const getSha = (index: number): string => String(index).padStart(40, '0')

/** Main, and the branch `next` that is so many commits ahead of it, the first of which changed these files. */
function ahead(count: number, files: readonly FileChange[]): RepositoryState {
  const commits = Array.from({ length: count }, (_, index) => {
    const parents = [index === 0 ? commit('a') : getSha(index - 1)]
    return madeCommit({ sha: getSha(index), parents, message: `Change ${index}`, files: index === 0 ? files : [] })
  })
  const branches = { main: commit('a'), next: getSha(count - 1) }
  return repositoryState({ commits: [madeCommit({ sha: commit('a') }), ...commits], branches })
}

const compare = (docs: RepositoryState, base = 'main', head = 'next') =>
  askingGitHub({ docs }, async (github, { asked }) => ({
    ...(await github.compare('acme/docs', base, head)),
    requests: asked.length,
  }))

test('tells the commits and the files of a change', async () => {
  const files = [
    { filename: 'docs/new.md', status: 'renamed', previous_filename: 'docs/old.md', additions: 2, deletions: 1 },
    { filename: 'docs/b.md', status: 'copied', previous_filename: 'docs/old.md' },
    { filename: 'docs/a.md', status: 'added', patch: '@@ -0,0 +1 @@\n+A' },
  ] as const
  const docs = changedRepository({ message: 'Rename\n\nWhy', files })
  const file = { previousPath: undefined, additions: 1, deletions: 0, patch: undefined }
  // GitHub does not know whose an author's address is.
  const commits = [{ sha: commit('b'), message: 'Rename\n\nWhy', author: 'Ann', account: { login: '', type: '' } }]
  expect(await compare(docs, commit('a'), 'main')).toEqual({
    repositoryName: 'acme/docs',
    relation: 'ahead',
    mergeBase: commit('a'),
    totalCommits: 1,
    fileList: 'whole',
    requests: 1,
    commits: commits.map((one) => expect.objectContaining(one) as unknown),
    files: [
      { ...file, path: 'docs/a.md', status: 'added', patch: '@@ -0,0 +1 @@\n+A' },
      // The other is where it was.
      { ...file, path: 'docs/b.md', status: 'copied' },
      { ...file, path: 'docs/new.md', status: 'renamed', previousPath: 'docs/old.md', additions: 2, deletions: 1 },
    ],
  })
})

test.each([
  ['all commits', 230, 0, 3],
  ['no more commits than the newest, and how many there are', 1_030, 600, 6],
])('reads %s, and the files of the first page', async (_what, count, first, requests) => {
  const found = await compare(ahead(count, [{ filename: 'docs/a.md' }]))
  expect(found).toMatchObject({ totalCommits: count, files: [{ path: 'docs/a.md' }], requests })
  const listed = Array.from({ length: count - first }, (_, index) => `Change ${first + index}`)
  expect(found.commits.map(({ message }) => message)).toEqual(listed)
})

test.each([
  [299, 299, 'whole'],
  [300, 300, 'cut'],
  [301, 300, 'cut'],
])('of %d files it knows %d: the list is %s, as GitHub lists no more than 300', async (count, known, fileList) => {
  const changed = Array.from({ length: count }, (_, index) => ({ filename: `docs/${index}.md` }))
  const { files, fileList: told } = await compare(ahead(1, changed))
  expect([files.length, told]).toEqual([known, fileList])
})

test('compares with a branch whose name has a slash', async () => {
  const docs = changedRepository({ files: [] }, { branches: { 'release/1.x': commit('b') } })
  expect((await compare(docs, 'release/1.x', commit('b'))).relation).toBe('identical')
})

test.each(['acme/handbook', 'Acme/Docs'])('a comparison in %s has the name of the repository today', async (asked) => {
  const docs = changedRepository({ files: [] })
  const old = repositoryState({ id: 5, movedTo: 'acme/docs' })
  const repositories = { 'acme/docs': docs, 'acme/handbook': old }
  const found = await askingGitHub({ state: { repositories } }, (github) => github.compare(asked, commit('a'), 'main'))
  expect(found).toMatchObject({ repositoryName: 'acme/docs', totalCommits: 1 })
})

const COMPARED = {
  status: 'ahead',
  merge_base_commit: { sha: commit('a') },
  total_commits: 1,
  commits: [{ sha: commit('b'), parents: [], commit: { message: 'Change' } }],
}
const comparing = (data: object) => answering(() => ({ ...COMPARED, ...data })).compare('acme/docs', 'main', 'next')

test.each<[unknown, 'whole' | 'unreadable', readonly object[]]>([
  [undefined, 'unreadable', []],
  [[], 'whole', []],
  [7, 'unreadable', []],
  [[null, { status: 'modified' }, { filename: 'a', status: 7 }], 'unreadable', []],
  [[{}, { filename: 'a', status: 'modified' }], 'unreadable', [{ path: 'a' }]],
  [
    [{ filename: 'a', status: 'renamed', previous_filename: {} }],
    'unreadable',
    [{ path: 'a', previousPath: undefined }],
  ],
  [[{ filename: 'a', status: 'added', patch: {} }], 'whole', [{ path: 'a', patch: undefined, additions: 0 }]],
])('of files such as %j the list is %s', async (listed, fileList, files) => {
  expect(await comparing({ files: listed })).toMatchObject({ fileList, files })
})

test('a commit may lack its message and its author, and a comparison with a commit that cannot be read is refused', async () => {
  const nameless = { sha: commit('b'), parents: [], commit: { message: 5, author: null } }
  const nothing = { sha: commit('b'), message: '', author: '', account: { login: '', type: '' } }
  expect((await comparing({ commits: [nameless] })).commits).toMatchObject([nothing])
  const wrongs = [{ status: 'sideways' }, { merge_base_commit: null }, { total_commits: 'many' }, { commits: null }]
  for (const wrong of [...wrongs, { commits: [null, nameless] }, { commits: [nameless, { sha: 7 }] }])
    expect(await errorOf(comparing(wrong))).toMatchObject({ code: 'bad-answer' })
})
