import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { runFlags } from '../scripts/pictures/run-flags.ts'
import { SHOTS } from '../scripts/pictures/shots.ts'
import { readMarkdownFiles, root } from '../testing/markdown-files.ts'

/** Flags of `npm start`: every icon, and every kind of ending. */
const RUNS = [
  '',
  '--scenario open-pull-request',
  '--scenario fixed',
  '--scenario checks-fail',
  '--scenario out-of-scope',
  '--scenario no-permission',
  '--scenario no-changes',
  '--scenario failed',
  '--scenario archived',
  '--scenario slow',
  '--scenario never-starts --prompt More.',
  '--scenario slow --cancel-after 60',
  '--scenario lost-answer',
  '--scenario unauthorized-later',
  '--input wait=false',
  '--input "paths=lib/**"',
  '--prompt=',
  '--action visitors --input compare=true',
  '--action report',
]

test.each(RUNS)(
  'npm start %s: the summary advises one thing at most, and says each sentence of its result once',
  async (flags) => {
    const { summary } = await runFlags(flags)
    expect(summary).toMatch(/^## (?:✅|❌|⚠️|⏰|❓|🚀|🛑|⏭️) /)
    expect(summary.match(/What to do/g)?.length ?? 0).toBeLessThan(2)
    const result = /^## .+\n\n(?:### .+\n\n)?(.+)$/m.exec(summary)?.[1] ?? ''
    expect(result).not.toBe('')
    for (const sentence of result.split(/(?<=\.) /)) expect(summary.split(sentence)).toHaveLength(2)
  },
)

test('every picture shows a text of a scenario, is used in the docs, and exists in both colour schemes', async () => {
  const files = SHOTS.flatMap(({ name }) => [`${name}-dark.png`, `${name}-light.png`])
  const shown = readMarkdownFiles().flatMap(({ text }) => text.match(/(?<=assets\/)[\w-]+\.png/g) ?? [])
  expect([...new Set(shown)].toSorted()).toEqual(files.toSorted())
  expect(readdirSync(join(root, 'docs/assets')).toSorted()).toEqual(files.toSorted())
  for (const file of files) expect(statSync(join(root, 'docs/assets', file)).size).toBeLessThan(45_000)

  for (const { flags, of = 'summary', until = '' } of SHOTS) expect((await runFlags(flags))[of]).toContain(`\n${until}`)
})

test('three changes and a comment update one pull request, whose history names each of them and its source', async () => {
  const { page } = await runFlags('--scenario rolling')
  const cells = [...page.matchAll(/<tr><td>[^<]*<\/td><td>(.*)<\/td><td>(.*)<\/td><td>.*<\/td><\/tr>/g)]
  expect(cells.map((row) => row.slice(1).map((cell) => cell.replaceAll(/<[^>]*>/g, '').replace('&#47;', '/')))).toEqual(
    [
      ['schedule, about #101', 'opened'],
      ['schedule, about #102', '1 new commit'],
      ['checks failed: build, links', '1 new commit'],
      ['/docs by mona', '1 new commit'],
      [expect.stringMatching(/^schedule, about [0-9a-f]{10}$/), '1 new commit'],
    ],
  )
  expect(page.match(/Follow-up \d/g)).toHaveLength(4)
  expect(page.match(/<h3>docs\/(?:deploy|output|index)\.md /g)).toHaveLength(3)
})

test('sends the change of a reviewed pull request by its number', async () => {
  const { summary, page } = await runFlags('--scenario reviewed-change --input change-range=pull/101')
  expect(summary).toContain('pull request #101, from')
  expect(page).toContain('about #101')
})
