import { expect, test } from '@jest/globals'
import { embedded, expectExport, pathsIn, runVisitors } from '../support/visitors-bundle.ts'

test('paths that are formulas, commands or HTML become none of these anywhere', async () => {
  const run = await runVisitors({ service: embedded({ scenario: 'hostile' }) })

  const { human = '', ai = '', total = '', 'top-pages': topPages = '' } = run.outputs
  expectExport(run, {
    conclusion: 'success',
    verdict: '✅ The visitors are exported',
    outputs: { human, ai, total, rows: '30', file: 'visitors.csv', complete: 'true', 'top-pages': topPages },
    offsets: [0],
  })
  expect(topPages).not.toMatch(/[\n\r\u2028]|##\[/)
  const paths = pathsIn(run.files['visitors.csv'])
  const sent = (JSON.parse(topPages) as { path: string }[]).map(({ path }) => path)
  expect(sent).toContainEqual(expect.stringMatching(/^=1\+1/))
  expect(paths.slice(0, 20).map((path) => path.replace(/^'/, ''))).toEqual(sent)
  expect(paths.filter((path) => /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(path))).toEqual([])
  expect(run.summary).not.toMatch(/<b>\||@SUM|##\[|\p{Cf}/u)
})
