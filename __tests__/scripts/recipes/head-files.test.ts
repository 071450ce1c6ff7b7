import { expect, test } from '@jest/globals'
import { added, filesOf } from '../../../scripts/recipes/head-files.mjs'
import { commit, madeCommit } from '../../support/github-state.ts'

const PAGE = added('docs/a.md', 'one\ntwo\nthree\nfour\n')
const history = (patch: string) => [
  madeCommit({ sha: commit('b'), files: [{ filename: 'docs/a.md', patch }, { filename: 'logo.png' }] }),
  madeCommit({ sha: commit('a'), files: [PAGE, added('docs/b.md', 'b')] }),
]

test('the files of a commit follow from the patches of all commits before it', () => {
  expect(filesOf(history('@@ -1,2 +1,2 @@\n one\n-two\n+2\n@@ -4 +4,2 @@\n four\n+five'))).toEqual({
    'docs/a.md': 'one\n2\nthree\nfour\nfive\n',
    'docs/b.md': 'b\n',
  })
})

test('a patch that does not fit is an error', () => {
  expect(() => filesOf(history('@@ -1 +1 @@\n-two\n+2'))).toThrow('This patch does not fit')
})
