import { expect, test } from '@jest/globals'
import { connectComparisons, type Comparison } from '../../src/github/comparisons.ts'
import { answering, askingGitHub, errorOf, SECRET } from '../support/github-client.ts'
import {
  type Commit,
  type FileChange,
  type RepositoryState,
  repositoryState,
} from '../../src/emulator/github/repository-state.ts'
import { changedRepository, commit, madeCommit } from '../support/github-state.ts'

/** GitHub does not know whose an author's address is. */
const NOBODY = { login: '', type: '' }
const shaOf = (index: number): string => String(index).padStart(40, '0')

/** Main, and the branch `next` that is so many commits ahead of it, the first of which changed these files. */
function ahead(count: number, files: readonly FileChange[] = []): { docs: RepositoryState } {
  const commits = Array.from({ length: count }, (_, index): Commit => {
    const parents = [index === 0 ? commit('a') : shaOf(index - 1)]
    return madeCommit({ sha: shaOf(index), parents, message: `Change ${index}`, files: index === 0 ? files : [] })
  })
  const branches = { main: commit('a'), next: shaOf(count - 1) }
  return { docs: repositoryState({ commits: [madeCommit({ sha: commit('a') }), ...commits], branches }) }
}

test('tells the commits and the files of a change', async () => {
  const files = [
    { filename: 'docs/new.md', status: 'renamed', previous_filename: 'docs/old.md', additions: 2, deletions: 1 },
    { filename: 'docs/a.md', status: 'added', patch: '@@ -0,0 +1 @@\n+A' },
  ] as const
  const docs = changedRepository({ message: 'Rename\n\nWhy', files })
  const found = await askingGitHub({ docs }, ({ ask }) =>
    connectComparisons(ask).compare('acme/docs', commit('a'), 'main'),
  )
  expect(found).toEqual({
    relation: 'ahead',
    mergeBase: commit('a'),
    totalCommits: 1,
    commits: [{ sha: commit('b'), message: 'Rename\n\nWhy', author: 'Ann', account: NOBODY }],
    files: [
      {
        path: 'docs/a.md',
        status: 'added',
        previousPath: undefined,
        additions: 1,
        deletions: 0,
        patch: '@@ -0,0 +1 @@\n+A',
      },
      {
        path: 'docs/new.md',
        status: 'renamed',
        previousPath: 'docs/old.md',
        additions: 2,
        deletions: 1,
        patch: undefined,
      },
    ],
    fileList: 'whole',
  })
})

test('a secret in what others wrote does not get through', async () => {
  const docs = changedRepository({
    message: `Use ${SECRET}`,
    author: SECRET,
    files: [{ filename: `docs/${SECRET}.md` }],
  })
  const found = await askingGitHub({ docs }, ({ ask }) =>
    connectComparisons(ask).compare('acme/docs', commit('a'), 'main'),
  )
  expect(found.commits).toEqual([{ sha: commit('b'), message: 'Use ***', author: '***', account: NOBODY }])
  expect(found.files[0]?.path).toBe('docs/***.md')
})

test('reads all pages of commits, and takes the files from the first', async () => {
  await askingGitHub(ahead(230, [{ filename: 'docs/a.md' }]), async ({ ask, github }) => {
    const found = await connectComparisons(ask).compare('acme/docs', 'main', 'next')
    expect(found.commits.map(({ message }) => message)).toEqual(
      Array.from({ length: 230 }, (_, index) => `Change ${index}`),
    )
    expect(found.files).toHaveLength(1)
    expect(github.requests).toHaveLength(3)
  })
})

test('of more commits than it reads, it lists the newest and counts the others', async () => {
  await askingGitHub(ahead(1_030, [{ filename: 'docs/a.md' }]), async ({ ask, github }) => {
    const found = await connectComparisons(ask).compare('acme/docs', 'main', 'next')
    expect(found.commits.at(-1)?.message).toBe('Change 1029')
    expect(found.commits[0]?.message).toBe('Change 600')
    expect(found.commits).toHaveLength(430)
    expect(found.totalCommits).toBe(1_030)
    expect(found.files).toHaveLength(1)
    expect(github.requests).toHaveLength(6)
  })
})

const COMPARED = {
  ...{ status: 'ahead', merge_base_commit: { sha: commit('a') }, total_commits: 1 },
  commits: [{ sha: commit('b'), commit: { message: 'Change' } }],
}
const comparing = (data: object): Promise<Comparison> =>
  connectComparisons(answering({ repos: { compareCommitsWithBasehead: () => Promise.resolve({ data }) } })).compare(
    ...(['acme/docs', 'main', 'next'] as const),
  )

test('a comparison without files is not known to have none', async () => {
  expect(await comparing(COMPARED)).toMatchObject({ files: [], fileList: 'cut', totalCommits: 1 })
  expect((await comparing({ ...COMPARED, files: [] })).fileList).toBe('whole')
})

test('a file without a name is left out, and the list is not whole then', async () => {
  const files = [{ status: 'modified' }, { status: 'modified', filename: 'docs/a.md' }]
  const found = await comparing({ ...COMPARED, files })
  expect(found.files.map(({ path }) => path)).toEqual(['docs/a.md'])
  expect(found.fileList).toBe('cut')
})

test.each([
  [7, { files: [], fileList: 'cut' }],
  [null, { files: [], fileList: 'cut' }],
  [[null, { filename: 5 }], { files: [], fileList: 'cut' }],
  [[{ filename: 'a', status: 'renamed', previous_filename: {} }], { fileList: 'cut' }],
  [[{ filename: 'a', status: 7 }], { files: [], fileList: 'cut' }],
  [
    [{ filename: 'a', status: 'added', patch: { is: 'no text' } }],
    { files: [{ patch: undefined }], fileList: 'whole' },
  ],
])('files that are not as GitHub describes them, %j, are parsed for what they are worth', async (files, expected) => {
  expect(await comparing({ ...COMPARED, files })).toMatchObject(expected)
})

test('a commit that does not say what it is says nothing, and one comparison that does not is no answer', async () => {
  const commits = [null, { sha: 7 }, { sha: commit('b'), commit: { message: 5, author: null } }]
  const found = await comparing({ ...COMPARED, commits })
  expect(found.commits).toEqual([{ sha: commit('b'), message: '', author: '', account: NOBODY }])
  for (const wrong of [
    { status: 'sideways' },
    { merge_base_commit: null },
    { total_commits: 'many' },
    { commits: null },
  ])
    expect(await errorOf(comparing({ ...COMPARED, ...wrong }))).toBeInstanceOf(TypeError)
})

test('a copied file was nowhere else before', async () => {
  const files = [{ filename: 'docs/new.md', status: 'copied', previous_filename: 'src/old.md' }] as const
  const found = await askingGitHub(ahead(1, files), ({ ask }) =>
    connectComparisons(ask).compare('acme/docs', 'main', 'next'),
  )
  expect(found.files).toMatchObject([{ path: 'docs/new.md', status: 'copied', previousPath: undefined }])
})

test('notices that GitHub lists no more than 300 files', async () => {
  const files = Array.from({ length: 301 }, (_, index) => ({ filename: `docs/${index}.md` }))
  const found = await askingGitHub(ahead(1, files), ({ ask }) =>
    connectComparisons(ask).compare('acme/docs', 'main', 'next'),
  )
  expect(found.files).toHaveLength(300)
  expect(found.fileList).toBe('cut')
})

test('compares with a branch whose name has a slash', async () => {
  const docs = changedRepository({ files: [] }, { branches: { 'release/1.x': commit('b') } })
  const found = await askingGitHub({ docs }, ({ ask }) =>
    connectComparisons(ask).compare('acme/docs', 'release/1.x', commit('b')),
  )
  expect(found.relation).toBe('identical')
})
