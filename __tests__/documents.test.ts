import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { expect, test } from '@jest/globals'
import { parse, parseDocument } from 'yaml'
import { PAGES, writeTables } from '../scripts/docs/input-tables.ts'
import { readOptions } from '../scripts/start/options.ts'
import { listCodeBlocks, listAnchors, listLinkTargets, readMarkdownFiles, root } from '../testing/markdown-files.ts'
import { readWorkflowFiles } from '../testing/workflow-files.ts'
import { splitCommand } from '../testing/split-command.ts'

const documents = readMarkdownFiles()

const workflows = readWorkflowFiles()

/** The text that people copy: code blocks of the documents, and recipes. The rules also apply to our own workflows. */
const examples = [
  ...documents.flatMap(({ path, text }) =>
    listCodeBlocks(text, 'yaml').map((code, index) => ({ name: `${path}, YAML block ${index + 1}`, code })),
  ),
  ...workflows.map(({ path, text }) => ({ name: path, code: text })),
]

const readFile = (path: string) => ({ path, text: readFileSync(`${root}${path}`, 'utf8') })

interface Step {
  readonly id?: string
  readonly if?: string
  readonly uses?: string
  readonly with?: Readonly<Record<string, unknown>>
  readonly run?: string
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

/** All steps in a workflow, or in a part of one. */
function stepsIn(value: unknown): Step[] {
  if (!isObject(value)) return []
  const isStep = typeof value['uses'] === 'string' || typeof value['run'] === 'string'
  return [...(isStep ? [value as Step] : []), ...Object.values(value).flatMap(stepsIn)]
}

interface Metadata {
  readonly inputs: Readonly<Record<string, unknown>>
  readonly outputs: Readonly<Record<string, unknown>>
}

/** What the action of this repository that a step uses declares, or undefined where it uses none. */
function declaredBy({ uses = '' }: Step): Metadata | undefined {
  const used = /^your-org\/docs-agent-action(?:\/([a-z-]+))?@v1$/.exec(uses)
  if (used === null) return undefined
  const [, folder = '.'] = used
  return parse(readFile(`${folder}/action.yml`).text) as Metadata
}

test('there are documents with examples', () => {
  expect(documents.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['README.md', 'docs/internals/how-it-works.md']),
  )
  expect(examples.length).toBeGreaterThan(5)
})

test('every relative link leads to a file and a heading that exist', () => {
  /** Pages that GitHub makes for every repository, as seen from a file in its root. */
  const isRepositoryPage = (from: string, target: string): boolean =>
    !from.includes('/') && /^\.\.\/\.\.\/(releases|issues|security|discussions|actions)(\/|$)/.test(target)

  const problems = documents.flatMap(({ path, text }) =>
    listLinkTargets(text)
      .filter((target) => !/^[a-z]+:/.test(target) && !isRepositoryPage(path, target))
      .filter((target) => {
        const [file = '', anchor] = target.split('#')
        const found = file === '' ? path : posix.join(posix.dirname(path), file)
        if (!existsSync(`${root}${found}`)) return true
        return anchor !== undefined && !listAnchors(readFile(found).text).includes(anchor)
      })
      .map((target) => `${path} links to ${target}, which is not there.`),
  )
  expect(problems).toEqual([])
})

test('every callout has its marker on a line of its own, as GitHub requires', () => {
  const markers = documents.flatMap(({ text }) => text.match(/^> \[![A-Z]+\].*$/gm) ?? [])
  expect(markers.length).toBeGreaterThan(20)
  expect(markers.filter((line) => !line.endsWith(']'))).toEqual([])
})

interface Example {
  readonly name: string
  readonly code: string
}

const MERGES = /\bgh pr merge\b|\bgh api [^\n]*\/merge\b|pulls\.merge\(|mergePullRequest|enablePullRequestAutoMerge/

/** What a step that merges has to require of the step before it. */
function findUnsafeMerges(code: string): string[] {
  const steps = stepsIn(parse(code))
  return steps
    .filter((step) => MERGES.test(JSON.stringify([step.run, step.with])))
    .flatMap(({ if: condition = '', run = '' }) => {
      const [, id = ''] = /steps\.([\w-]+)\.outputs\.checks\b/.exec(condition) ?? []
      const stepInputs = steps.find((step) => step.id === id)?.with ?? {}
      // With another operator, one condition alone would be enough.
      const required = condition.split('&&').map((part) => part.trim())
      const outputs = { 'pr-state': 'open', checks: 'success', 'in-scope': 'true' }
      return [
        ...Object.entries(outputs)
          .filter(([name, value]) => !required.includes(`steps.${id}.outputs.${name} == '${value}'`))
          .map(([name, value]) => `The merge must require that ${name} is ${value}.`),
        ...(stepInputs['wait-for-checks'] === true ? [] : ['The step before the merge must wait for checks.']),
        ...('allowed-paths' in stepInputs ? [] : ['The step before the merge must have `allowed-paths`.']),
        ...(run.includes('--match-head-commit') ? [] : ['The merge must name the commit that was checked.']),
      ]
    })
}

test('finds a merge that does not require the checks, the paths and the commit', () => {
  const { text } = readFile('docs/recipes/before-auto-merge.yml')
  expect(findUnsafeMerges(text)).toEqual([])
  expect(findUnsafeMerges(text.replaceAll(/ &&\s+steps.checked.outputs.in-scope == 'true'/g, ''))).toEqual([
    'The merge must require that in-scope is true.',
  ])
  expect(findUnsafeMerges(text.replace(/&&(\s+steps.checked.outputs.in-scope)/, '||$1'))).toHaveLength(2)
  expect(findUnsafeMerges(text.replaceAll(/^ +allowed-paths: [^]*?(?= +timeout-minutes)/gm, ''))).toHaveLength(1)
  expect(findUnsafeMerges(text.replace('--match-head-commit', '--delete-branch'))).toHaveLength(1)
})

/** The rules for each example. Each rule returns what is wrong with the example. */
const RULES: Readonly<Record<string, (example: Example) => readonly string[]>> = {
  'every YAML example can be parsed': ({ code }) => parseDocument(code).errors.map(({ message }) => message),
  'examples name this action in one way, and only inputs that it has': ({ code }) =>
    stepsIn(parse(code)).flatMap((step) => {
      const { inputs } = declaredBy(step) ?? {}
      if (inputs !== undefined) return Object.keys(step.with ?? {}).filter((input) => !(input in inputs))
      return step.uses?.includes('docs-agent') ? [`Write ${step.uses} as your-org/docs-agent-action@v1.`] : []
    }),
  'examples use only outputs that the action has': ({ code }) => {
    const actions = new Map(stepsIn(parse(code)).map((step) => [step.id, declaredBy(step)]))
    return [...code.matchAll(/steps\.([\w-]+)\.outputs\.([\w-]+)/g)].flatMap(([reference, id, output = '']) => {
      if (!actions.has(id)) return [`${reference} is of a step that is not there.`]
      const action = actions.get(id)
      return action === undefined || output in action.outputs ? [] : [`There is no output ${output}.`]
    })
  },
  'no example puts an expression into a script, where untrusted text would become code': ({ code }) =>
    stepsIn(parse(code)).flatMap(({ run = '' }) => (run.includes('${{') ? [`Give this through env: ${run}`] : [])),
  'every example that merges requires the checks, the paths and the commit that was checked': ({ code }) =>
    findUnsafeMerges(code),
  'every example that is a whole workflow says which permissions it needs': ({ code }) =>
    /^jobs:/m.test(code) && !/^permissions:/m.test(code) ? ['It has no permissions at the top.'] : [],
}

test.each(Object.entries(RULES))('%s', (_rule, listProblems) => {
  expect(examples.flatMap((example) => listProblems(example).map((problem) => `${example.name}: ${problem}`))).toEqual(
    [],
  )
})

test('every third-party action is pinned to one commit everywhere, with its version in a comment', () => {
  const uses = examples.flatMap(({ name, code }) =>
    [...code.matchAll(/uses: *([^\s]+)@(.*)$/gm)].map(([, action = '', ref = '']) => ({ name, action, ref })),
  )
  const others = uses.filter(({ action }) => !/^your-org\/|\/docs-agent-action(?:\/|$)/.test(action))
  const refs = new Map(others.map(({ action, ref }) => [action, ref]))
  const problems = others.filter(
    ({ action, ref }) => !/^[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(ref) || refs.get(action) !== ref,
  )
  expect(problems).toEqual([])
})

test('each recipe names in its first lines the secrets and variables that it needs', () => {
  const recipes = workflows.filter(({ path }) => path.startsWith('docs/recipes/'))
  const problems = recipes.flatMap(({ path, text }) => {
    const head = text.slice(0, text.indexOf('\nname: '))
    const needed = [...text.matchAll(/\b(?:secrets|vars)\.(\w+)/g)].map(([, name = '']) => name)
    return [...new Set(needed)].filter((name) => !head.includes(name)).map((name) => `${path}: ${name}`)
  })
  expect(problems).toEqual([])
})

/** In a block of commands, and within a line. */
const commandsIn = (text: string, begin: string): string[] =>
  [...text.matchAll(new RegExp(`^${begin}.*$|(?<=\`)${begin}[^\`\\n]*(?=\`)`, 'gm'))].map(([command]) => command)

test('every npm command in the documents exists', () => {
  const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { scripts: object }
  const unknown = documents.flatMap(({ path, text }) =>
    commandsIn(text, 'npm run ')
      .filter((command) => !((command.split(' ')[2] ?? '') in scripts))
      .map((command) => `${path}: ${command}`),
  )
  expect(unknown).toEqual([])
})

const SERVICE = {
  DOCS_AGENT_BASE_URL: 'https://docs.example.com',
  DOCS_AGENT_PROJECT_ID: 'p1',
  DOCS_AGENT_API_KEY: 'docs_x',
}

test('every command in the documents that starts the action has valid flags', () => {
  const commands = documents.flatMap(({ text }) => commandsIn(text, 'npm start'))
  for (const command of commands) {
    const flags = splitCommand(command.replace(/^npm start( --)?/, ''))
    expect(() => readOptions(flags, SERVICE)).not.toThrow()
  }
  expect(commands.length).toBeGreaterThan(20)
})

test.each(PAGES)('the tables of $document say what $action says; if not, run: npm run docs', (page) => {
  const { text } = readFile(page.document)
  const markers = new RegExp(`(<!-- (${page.tables.join('|')}): [^>]*-->)[^]*?(?=<!-- /\\2 -->)`, 'g')
  const emptied = text.replace(markers, '$1\nold\n')
  expect(emptied).not.toBe(text)
  expect(writeTables(emptied, readFile(page.action).text, page.tables)).toBe(text)
})

test('a page without its markers is an error, so that no table is silently left out', () => {
  const page = '# A\n<!-- inputs: x -->\n<!-- /inputs -->\n'
  expect(() => writeTables(page, 'inputs: {}\noutputs: {}\n', ['inputs', 'outputs'])).toThrow(
    'The markers of the outputs table must be there once',
  )
})
