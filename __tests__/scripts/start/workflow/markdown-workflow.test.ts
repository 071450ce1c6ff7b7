import { expect, test } from '@jest/globals'
import { readMarkdownWorkflow } from '../../../../scripts/start/workflow/markdown-workflow.ts'
import { readWorkflow } from '../../../../scripts/start/workflow/workflow-file.ts'

const block = (code: string, language = 'yaml'): string => `\`\`\`${language}\n${code}\`\`\`\n`

const workflow = (name: string, action = 'docs-agent-action'): string =>
  `name: ${name}\non: push\njobs:\n  docs:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: me/${action}@v1\n`

const PAGE = [
  block('on: push\n'),
  block(workflow('Another action', 'checkout')),
  block('- uses: me/docs-agent-action@v1\n'),
  block(workflow('First')),
  block(workflow('Second')),
].join('\nText.\n\n')

test.each([
  ['with line feeds', PAGE],
  ['with carriage returns', PAGE.replaceAll('\n', '\r\n')],
  ['in a block of `yml`', PAGE.replaceAll('```yaml', '```yml')],
])('the first workflow of a page that uses the action keeps its lines, %s', async (_how, page) => {
  const { name, jobs } = await readWorkflow('page.md', readMarkdownWorkflow('page.md', page))
  expect(name).toBe('First')
  expect(jobs[0]?.line).toBe(page.split(/\r?\n/).indexOf('name: First') + 4)
})

test('a page without a workflow of the action is an error', () => {
  expect(() => readMarkdownWorkflow('page.md', block('on: push\n'))).toThrow(
    'page.md contains no workflow that uses this action.',
  )
})
