import { expect, test } from '@jest/globals'
import { listAnnotations } from '../../src/github/annotations.ts'
import { askingEmbedded } from '../support/embedded-github.ts'
import { answering, errorOf } from '../support/github-client.ts'
import { checkRun, commit } from '../support/github-state.ts'

const annotation = (line: number, title: string | null) =>
  ({
    path: 'docs/a.md',
    start_line: line,
    end_line: line,
    annotation_level: 'failure',
    title,
    message: 'It is gone.',
  }) as const
const run = checkRun({
  id: 7,
  name: 'build',
  headSha: commit('c'),
  annotations: [annotation(4, 'Missing'), annotation(9, null)],
})

test('gives where each is, and what it says', async () => {
  const found = await askingEmbedded({ docs: { checkRuns: [run] } }, (github) => github.listAnnotations('acme/docs', 7))
  expect(found).toEqual([
    { path: 'docs/a.md', line: 4, title: 'Missing', message: 'It is gone.' },
    { path: 'docs/a.md', line: 9, title: '', message: 'It is gone.' },
  ])
})

test('an annotation that is not as GitHub describes it costs no more than itself', async () => {
  const data = [null, { path: 5, start_line: '4', title: {}, message: 'It is gone.' }]
  const ask = answering({ checks: { listAnnotations: () => Promise.resolve({ data }) } })
  expect(await listAnnotations(ask, 'acme/docs', 7)).toEqual([
    { path: 'a file', line: 0, title: '', message: 'It is gone.' },
  ])
})

test('without `checks: read` it says what is missing', async () => {
  const world = { docs: { checkRuns: [run] }, permissions: {} }
  const error = await askingEmbedded(world, (github) => errorOf(github.listAnnotations('acme/docs', 7)))
  expect(error).toMatchObject({ code: 'forbidden', hint: expect.stringContaining('`checks: read`') as unknown })
})
