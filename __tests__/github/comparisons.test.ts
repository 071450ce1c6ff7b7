import { expect, test } from '@jest/globals'
import { compareCommits } from '../../src/github/comparisons.ts'
import { askingGitHub, SECRET } from '../support/github-client.ts'
import { commit, repositoryState, type ComparisonState } from '../support/github-state.ts'

function comparing(base: string, head: string, comparison: ComparisonState) {
  const repository = repositoryState({ comparisons: { [`${base}...${head}`]: comparison } })
  return { state: { repositories: { 'acme/docs': repository } } }
}

const someCommits = (count: number): ComparisonState['commits'] =>
  Array.from({ length: count }, (_, index) => ({ sha: String(index).padStart(40, '0'), message: `Change ${index}` }))

test('tells the commits and the files of a change', async () => {
  const files = [
    { filename: 'docs/new.md', status: 'renamed', previous_filename: 'docs/old.md', additions: 2, deletions: 1 },
    { filename: 'docs/a.md', status: 'added', patch: '@@ -0,0 +1 @@\n+A' },
  ] as const
  const commits = [{ sha: commit('a'), message: 'Rename\n\nWhy', author: 'Ann' }]
  const server = comparing('main', commit('a'), { relation: 'ahead', mergeBase: commit('b'), commits, files })
  const found = await askingGitHub(server, ({ ask }) => compareCommits(ask, 'acme/docs', 'main', commit('a')))
  expect(found).toEqual({
    relation: 'ahead',
    mergeBase: commit('b'),
    totalCommits: 1,
    commits: [{ sha: commit('a'), message: 'Rename\n\nWhy', author: 'Ann' }],
    files: [
      {
        path: 'docs/new.md',
        status: 'renamed',
        previousPath: 'docs/old.md',
        additions: 2,
        deletions: 1,
        patch: undefined,
      },
      {
        path: 'docs/a.md',
        status: 'added',
        previousPath: undefined,
        additions: 1,
        deletions: 0,
        patch: '@@ -0,0 +1 @@\n+A',
      },
    ],
    fileList: 'whole',
  })
})

test('a secret in what others wrote does not get through', async () => {
  const commits = [{ sha: commit('a'), message: `Use ${SECRET}`, author: SECRET }]
  const server = comparing('main', 'next', { relation: 'ahead', commits, files: [{ filename: `docs/${SECRET}.md` }] })
  const found = await askingGitHub(server, ({ ask }) => compareCommits(ask, 'acme/docs', 'main', 'next'))
  expect(found.commits).toEqual([{ sha: commit('a'), message: 'Use ***', author: '***' }])
  expect(found.files[0]?.path).toBe('docs/***.md')
})

test('reads all pages of commits, and takes the files from the first', async () => {
  const server = comparing('main', 'next', {
    relation: 'ahead',
    commits: someCommits(230),
    files: [{ filename: 'docs/a.md' }],
  })
  await askingGitHub(server, async ({ ask, github }) => {
    const found = await compareCommits(ask, 'acme/docs', 'main', 'next')
    expect(found.commits.map(({ message }) => message)).toEqual(someCommits(230).map(({ message }) => message))
    expect(found.files).toHaveLength(1)
    expect(github.requests).toHaveLength(3)
  })
})

test('counts the commits that it does not list', async () => {
  const server = comparing('main', 'next', { relation: 'ahead', commits: someCommits(620), files: [] })
  const found = await askingGitHub(server, ({ ask }) => compareCommits(ask, 'acme/docs', 'main', 'next'))
  expect(found.commits).toHaveLength(500)
  expect(found.totalCommits).toBe(620)
})

test('notices that GitHub lists no more than 300 files', async () => {
  const files = Array.from({ length: 301 }, (_, index) => ({ filename: `docs/${index}.md` }))
  const server = comparing('main', 'next', { relation: 'ahead', commits: someCommits(1), files })
  const found = await askingGitHub(server, ({ ask }) => compareCommits(ask, 'acme/docs', 'main', 'next'))
  expect(found.files).toHaveLength(300)
  expect(found.fileList).toBe('cut')
})

test('compares with a branch whose name has a slash', async () => {
  const server = comparing('release/1.x', commit('a'), { relation: 'identical', commits: [], files: [] })
  const found = await askingGitHub(server, ({ ask }) => compareCommits(ask, 'acme/docs', 'release/1.x', commit('a')))
  expect(found.relation).toBe('identical')
})
