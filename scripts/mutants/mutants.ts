/**
 * Tests the tests: applies random mutants, one at a time, to a copy of the project, and lists those that neither types nor tests
 * kill. The working tree is not changed.
 *
 *   npm run test:mutants                                            60 mutants, with a random seed, which it prints
 *   npm run test:mutants -- --seed 7 --sample 200 --only src/agent  the same mutants while the code is unchanged
 *   npm run test:mutants -- --score 95                              fails if so few are killed that 95% can hardly be true
 *   npm run test:mutants -- --save                                  saves the result in docs/internals/how-it-is-proven.md
 */
import { createHash, randomInt } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import * as path from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../../__tests__/support/markdown-files.ts'
import { describeCircumstances } from '../bench/circumstances.ts'
import { renderTable, replaceBetweenMarkers } from '../docs/markdown-tables.ts'
import { listMutations, type Mutation } from './mutations.ts'
import { openSandbox, type Sandbox } from './sandbox.ts'
import { getLeastKilled } from './score.ts'
import { createTypeCheck } from './type-check.ts'

interface Mutant extends Mutation {
  readonly file: string
  readonly source: string
}
type Result = 'types' | 'tests' | 'timed-out' | 'survived'

interface Tried {
  readonly kind: string
  readonly result: Result
}

const SANDBOXES = 2
/** These folders decide about prompts, costs and pull requests. */
const USUAL_FOLDERS = 'src/agent,src/docs-service,src/github'
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
  const { kind } = await sandbox.runWith(file, mutated)
  return kind === 'passed' ? 'survived' : kind === 'failed' ? 'tests' : 'timed-out'
}

function renderResults(tried: readonly Tried[]): string {
  const kinds = [...new Set(tried.map(({ kind }) => kind))].sort()
  const rows = [...kinds, 'all'].map((row) => {
    const some = tried.filter(({ kind }) => row === 'all' || kind === row)
    const count = (result: Result): number => some.filter((one) => one.result === result).length
    const survived = count('survived')
    const share = `${Math.round((100 * (some.length - survived)) / some.length)}%`
    return [row, some.length, count('types'), count('tests'), count('timed-out'), survived, share].map(String)
  })
  const heading = ['Kind', 'Tried', 'Killed by types', 'By tests', 'Timed out', 'Survived', 'Killed']
  return renderTable([heading, ...rows])
}

/** @returns whether the number of killed mutants is plausible for the expected share */
function isScorePossible(tried: readonly Tried[], percent: number): boolean {
  const killed = tried.filter(({ result }) => result !== 'survived').length
  const least = getLeastKilled(tried.length, percent / 100)
  console.log(
    `\n${killed} of ${tried.length} were killed. If ${percent}% of all are, fewer than ${least} are killed in less than 1 of 100 samples.`,
  )
  return killed >= least
}

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(randomInt(10_000)) },
    sample: { type: 'string', default: '60' },
    only: { type: 'string', default: USUAL_FOLDERS },
    score: { type: 'string' },
    save: { type: 'boolean', default: false },
  },
})
const files = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .map((name) => `src/${name.replaceAll('\\', '/')}`)
  .filter((file) => file.endsWith('.ts'))
const chosen = values.only.split(',').map((folder) => folder.trim())
const queue = files
  .filter(
    (file) => chosen.some((folder) => file.startsWith(folder)) && !file.startsWith(ENTRIES) && !file.endsWith('.d.ts'),
  )
  .flatMap((file) => {
    const source = readFileSync(path.join(root, file), 'utf8')
    return listMutations(source).map((mutation) => ({ ...mutation, file, source }))
  })
  .map((mutant) => ({ mutant, key: getSortKey(mutant, values.seed) }))
  .sort((a, b) => (a.key < b.key ? -1 : 1))
  .slice(0, Number(values.sample))
  .map(({ mutant }) => mutant)
const command = `npm run test:mutants -- --seed ${values.seed} --sample ${queue.length} --only ${values.only}`
if (queue.length === 0) throw new Error(`${values.only} has no mutants.`)
console.log(command)

const compiles = createTypeCheck(root, files)
const sandboxes = Array.from({ length: SANDBOXES }, openSandbox)
try {
  // Tests that fail without a mutant would kill every mutant. Both sandboxes measure, because both are busy later.
  const related = [...new Set(queue.map(({ file }) => file))]
  for (const run of await Promise.all(sandboxes.map((sandbox) => sandbox.measure(related))))
    if (run.kind === 'failed') throw new Error(`Tests fail without any mutant:\n${run.output}`)
  const tried: Tried[] = []
  const work = async (sandbox: Sandbox): Promise<void> => {
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
      const result = await tryMutant(mutant, sandbox)
      tried.push({ kind: mutant.kind, result })
      // An endless test notices the mutant. The line is for readers: the cause may also be a slow machine.
      if (result === 'survived') console.log(`survived: ${describe(mutant)}`)
      if (result === 'timed-out') console.log(`took too long, counted as killed: ${describe(mutant)}`)
    }
  }
  await Promise.all(sandboxes.map(work))
  const results = `\`${command}\`\n\n${renderResults(tried)}\n\n${describeCircumstances()}`
  console.log(`\n${results}`)
  if (values.score !== undefined && !isScorePossible(tried, Number(values.score))) process.exitCode = 1
  if (values.save) {
    const page = path.join(root, 'docs/internals/how-it-is-proven.md')
    writeFileSync(page, replaceBetweenMarkers(readFileSync(page, 'utf8'), 'mutants', results))
  }
} finally {
  for (const sandbox of sandboxes) sandbox.remove()
}
