/**
 * Tests the tests: applies random mutants, one at a time, to a copy of the project, and lists those that neither types nor tests
 * kill. The working tree is not changed.
 *
 *   npm run test:mutants                                            60 mutants, with a random seed, which it prints
 *   npm run test:mutants -- --seed 7 --sample 200 --only src/agent  the same mutants while the code is unchanged
 *   npm run test:mutants -- --least 92                              fails if fewer than 92 of a hundred are killed
 */
import { createHash, randomInt } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import * as path from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../../__tests__/support/markdown-files.ts'
import { renderTable } from '../docs/markdown-tables.ts'
import { listMutations, type Mutation } from './mutations.ts'
import { openSandbox, type Sandbox } from './sandbox.ts'
import { createTypeCheck } from './type-check.ts'

interface Mutant extends Mutation {
  readonly file: string
  readonly source: string
}
type Result = 'types' | 'tests' | 'survived'

const SANDBOXES = 2
/** Only packaged actions run these. */
const ENTRIES = 'src/entries/'

/** The sort key of a mutant. It depends on the seed and the mutant only, so that changes elsewhere do not reorder the queue. */
function getSortKey({ file, source, start, end, text }: Mutant, seed: string): string {
  const change = [seed, file, source.slice(start - 20, end + 20), text].join('\0')
  return createHash('sha256').update(change).digest('hex')
}

function describe({ file, source, kind, start, end, text }: Mutant): string {
  const line = source.slice(0, start).split('\n').length
  const short = (code: string): string => JSON.stringify(code.replace(/\s+/g, ' ').slice(0, 100))
  return `${file}:${line} (${kind}) ${short(source.slice(start, end))} to ${short(text)}`
}

async function tryMutant({ file, source, start, end, text }: Mutant, sandbox: Sandbox): Promise<Result> {
  const mutated = source.slice(0, start) + text + source.slice(end)
  if (!compiles(file, mutated)) return 'types'
  return (await sandbox.isNoticed(file, mutated)) ? 'tests' : 'survived'
}

function report(tried: readonly { readonly kind: string; readonly result: Result }[]): void {
  const kinds = [...new Set(tried.map(({ kind }) => kind))].sort()
  const rows = [...kinds, 'all'].map((row) => {
    const some = tried.filter(({ kind }) => row === 'all' || kind === row)
    const count = (result: Result): number => some.filter((one) => one.result === result).length
    const survived = count('survived')
    const share = `${Math.round((100 * (some.length - survived)) / some.length)} %`
    return [row, some.length, count('types'), count('tests'), survived, share].map(String)
  })
  console.log(`\n${renderTable([['Kind', 'Tried', 'Killed by types', 'By tests', 'Survived', 'Killed'], ...rows])}`)
}

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(randomInt(10_000)) },
    sample: { type: 'string', default: '60' },
    only: { type: 'string', default: 'src' },
    least: { type: 'string', default: '0' },
  },
})
const files = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .map((name) => `src/${name.replaceAll('\\', '/')}`)
  .filter((file) => file.endsWith('.ts'))
const queue = files
  .filter((file) => file.startsWith(values.only) && !file.startsWith(ENTRIES) && !file.endsWith('.d.ts'))
  .flatMap((file) => {
    const source = readFileSync(path.join(root, file), 'utf8')
    return listMutations(source).map((mutation) => ({ ...mutation, file, source }))
  })
  .map((mutant) => ({ mutant, key: getSortKey(mutant, values.seed) }))
  .sort((a, b) => (a.key < b.key ? -1 : 1))
  .slice(0, Number(values.sample))
  .map(({ mutant }) => mutant)
console.log(`--seed ${values.seed} --sample ${queue.length} --only ${values.only}`)

const compiles = createTypeCheck(root, files)
const sandboxes = Array.from({ length: SANDBOXES }, openSandbox)
try {
  // Tests that fail without a mutant would kill every mutant.
  const failure = await sandboxes[0]?.findFailure([...new Set(queue.map(({ file }) => file))])
  if (failure !== undefined) throw new Error(`Tests fail without any mutant:\n${failure}`)
  const tried: { readonly kind: string; readonly result: Result }[] = []
  const work = async (sandbox: Sandbox): Promise<void> => {
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
      const result = await tryMutant(mutant, sandbox)
      tried.push({ kind: mutant.kind, result })
      if (result === 'survived') console.log(`survived: ${describe(mutant)}`)
    }
  }
  await Promise.all(sandboxes.map(work))
  report(tried)
  const killed = tried.filter(({ result }) => result !== 'survived').length
  if (100 * killed < Number(values.least) * tried.length) process.exitCode = 1
} finally {
  for (const sandbox of sandboxes) sandbox.remove()
}
