import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { parse as parseYaml } from 'yaml'
import { hasCommand, parseComment } from '../../../src/agent/features/command.ts'
import { isSkip } from '../../../src/agent/skip.ts'
import { commentFacts } from '../../../testing/comment-events.ts'
import { readRun } from '../../../testing/given-run.ts'

const read = (body: string) => readRun(commentFacts({ body }))

test.each([
  ['/Docs Shorten it.', 'Shorten it.'],
  ['/DOCS Shorten it.', 'Shorten it.'],
  ['/docs: Shorten it.', 'Shorten it.'],
  ['/docs, Shorten it.', 'Shorten it.'],
  ['/docs:Shorten it.', 'Shorten it.'],
  ['/docs:\r\nShorten it.', 'Shorten it.'],
  ['/docs：缩短它。', '缩短它。'],
  ['/docs，缩短它。', '缩短它。'],
  ['/docs、短くする', '短くする'],
  ['/docs\u3000短くする', '短くする'],
  ['/docs :', ':'],
  [' /docs Shorten it.', 'Shorten it.'],
  ['\t\n\r\n/docs Shorten it.', 'Shorten it.'],
  ['\u200b/docs Shorten it.', 'Shorten it.'],
  ['\ufeff \u2060\n/docs Shorten it.', 'Shorten it.'],
  ['/docs\u200b Shorten it.', 'Shorten it.'],
  ['\u00a0/docs\u00a0Shorten it.', 'Shorten it.'],
  ['/docs,', ''],
  ['/docs  two blanks stay ', ' two blanks stay '],
])('obeys %j', (body, instruction) => {
  expect(parseComment(read(body), '/docs')).toMatchObject({ instruction })
  expect(parseComment(read(body), '/DOCS')).toMatchObject({ instruction })
  expect(hasCommand(read(body), '/docs')).toBe(true)
})

test.each([
  '/docsx do it',
  '/docs-agent do it',
  '/docs/guide.md is wrong',
  '> /docs do it',
  'Please\n/docs do it',
  '@/docs',
  '',
])('ignores %j', (body) => {
  expect(isSkip(parseComment(read(body), '/docs'))).toBe(true)
  expect(hasCommand(read(body), '/docs')).toBe(false)
})

test('the recipe starts the run wherever the command may stand', () => {
  const file = readFileSync(new URL('../../../docs/recipes/comments.yml', import.meta.url), 'utf8')
  const { jobs } = parseYaml(file) as { jobs: { ask: { if: string } } }
  expect(jobs.ask.if).toMatch(/ && contains\(github\.event\.[^)]*, '\/docs'\) && /)
})
