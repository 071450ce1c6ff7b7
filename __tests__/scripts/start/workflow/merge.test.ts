import { expect, test } from '@jest/globals'
import { findMerge } from '../../../../scripts/start/workflow/merge.ts'

const SHA = 'a1'.repeat(20)
const ENV = { PR_LINK: 'http://127.0.0.1:1/acme/docs/pull/4', NUMBER: '7', SHA }
const PULL_4 = { repository: 'acme/docs', number: 4, method: 'merge', sha: undefined, isAuto: false }

test.each([
  ['gh pr merge "$PR_LINK"', PULL_4],
  ['if true; then\n  gh pr merge --auto --squash ${PR_LINK}\nfi', { ...PULL_4, method: 'squash', isAuto: true }],
  ['gh pr merge "$PR_LINK" -r \\\n  --match-head-commit "$SHA"', { ...PULL_4, method: 'rebase', sha: SHA }],
  ['gh pr merge $NUMBER --merge', { ...PULL_4, repository: 'me/web', number: 7 }],
  ['gh pr merge --auto', undefined],
  ['gh pr merge "$OTHER" --squash', undefined],
  ['# gh pr merge "$PR_LINK"\necho gh pr merge "$PR_LINK"', undefined],
  ['gh pr view "$PR_LINK"', undefined],
])('the script %j merges %j', (script, merge) => {
  expect(findMerge(script, ENV, 'me/web')).toEqual(merge)
})
