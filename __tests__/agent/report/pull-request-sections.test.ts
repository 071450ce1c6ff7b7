import { expect, test } from '@jest/globals'
import { pagesFirst, pullRequestSections } from '../../../src/agent/report/pull-request-sections.ts'
import { FOLLOW_UP } from '../../support/agent-run.ts'
import { LINK } from '../../support/fake-client.ts'
import { reportOf, type Fields } from '../../support/report.ts'

const sections = (fields: Fields = {}): string => pullRequestSections(reportOf(fields)).join('\n\n')

test('of a pull request without a title, the number is its name', () => {
  expect(sections()).toContain(`### [Pull request #7 in acme/docs](${LINK})`)
})

test('a follow-up says what it has added, and more than twenty files are counted', () => {
  const files = Array.from({ length: 25 }, (_, index) => ({ path: `docs/${index}.md`, additions: 1, deletions: 0 }))
  const markdown = sections({ operation: 'updated', task: FOLLOW_UP, changes: { files, isWhole: false } })
  expect(markdown).toContain('**Changed by this step:** at least 25 files, +25 −0')
  expect(markdown).toContain('<tr><td>and 5 more</td></tr>')
  expect(markdown.match(/<td>\+1<\/td>/g)).toHaveLength(20)
})

test('documentation stands before code, each as GitHub lists it', () => {
  const files = ['src/a.ts', 'docs/b.mdx', 'x.json', 'README.md'].map((path) => ({ path, additions: 1, deletions: 0 }))
  expect(pagesFirst(files).map(({ path }) => path)).toEqual(['docs/b.mdx', 'README.md', 'src/a.ts', 'x.json'])
})
