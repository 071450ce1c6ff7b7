import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { includesPath, parsePathRules } from '../../../src/agent/path-filter.ts'
import { isChangedPath } from '../../../src/emulator/cli-options.ts'
import { formatCount } from '../../../src/text/format.ts'
import { type Clone, openClone } from '../history/clone.ts'
import { isPushBetter } from '../history/figures.ts'
import { complete, countBoth, isReplayable, prepareReplay } from '../history/run-history.ts'
import { showText } from '../history/show-figures.ts'
import type { Init } from '../clone-options.ts'
import { readOptions } from '../options.ts'
import { writeTo, type Terminal } from '../session.ts'
import { choosePaint, cleanForTerminal, quote, showCommand } from '../terminal.ts'
import { runWorkflow } from '../workflow/run-workflow.ts'
import { isEventName } from '../workflow/triggers.ts'
import { type Facts, fillRecipe, listLeft } from './fill-recipe.ts'
import { findLayout } from './layout.ts'

const FOLDER = '.github/workflows'
const [MAIN, ATTACH] = ['docs.yml', 'attach.yml'] as const

function readRecipe(project: string, name: string): string {
  const folder = join(project, 'docs/recipes')
  const known = existsSync(folder) ? readdirSync(folder).map((file) => file.replace(/\.yml$/, '')) : []
  if (known.includes(name)) return readFileSync(join(folder, `${name}.yml`), 'utf8').replaceAll('\r\n', '\n')
  throw new Error(`There is no recipe ${name}. These are: ${known.join(', ')}.`)
}

interface Chosen {
  readonly recipe: string
  readonly reason: string
}

/** Chooses the trigger by what the last days would have cost. */
async function chooseRecipe(facts: Facts, clone: Clone, init: Init, project: string): Promise<Chosen> {
  if (init.recipe !== undefined) return { recipe: init.recipe, reason: 'you chose it' }
  const file = { name: MAIN, content: fillRecipe(readRecipe(project, 'on-schedule'), facts) }
  const { replay } = await prepareReplay(file, clone, init, project)
  const { figures } = await countBoth(replay, init)
  const { alternative, prompts } = figures
  const red = alternative.red === 0 ? '' : ` and ${formatCount(alternative.red, 'red run')}`
  const [nightly, pushed] = [prompts, alternative.prompts].map((count) => formatCount(count, 'prompt'))
  const reason = `in ${formatCount(init.days, 'day')}, ${nightly} at night, or ${pushed}${red} on every push`
  return { recipe: isPushBetter(alternative, figures) ? 'on-push' : 'on-schedule', reason }
}

/** A file of the newest changes that the workflow is about. */
function findChangedFile(clone: Clone, { code }: Facts): string | undefined {
  const rules = parsePathRules(code.value.join('\n'))
  const newest =
    clone.git('log', '-50', '--first-parent', '-m', '--name-only', '-z', '--format=', clone.ref)?.split('\0') ?? []
  return [...newest, ...clone.listFiles()].find((path) => isChangedPath(path) && includesPath(rules, path))
}

/** Runs the written file once. Shows only how it ends, unless it is red. */
async function rehearse(
  file: string,
  changed: string | undefined,
  project: string,
  terminal: Terminal,
): Promise<number> {
  const options = readOptions(['--workflow', file, ...(changed === undefined ? [] : [`--changed=${changed}`])], {})
  if (options.kind !== 'workflow') throw new Error('A workflow is played.')
  let shown = ''
  const captured = { ...terminal, stdout: { write: (text: string) => (shown += text) } }
  const exitCode = await runWorkflow(options, project, {
    ...captured,
    on: (signal, listener) => terminal.on(signal, listener),
    exit: (code) => terminal.exit(code),
  })
  const [log, conclusion] = [shown, /── Conclusion[ ─]*\n([^]*?)\n\n/.exec(shown)?.[1]]
  writeTo(terminal.stdout, exitCode === 0 && conclusion !== undefined ? `${conclusion}\n` : log)
  return exitCode
}

/** Each decision with its reason, and where it is in the file. */
function describeDecisions(text: string, { branch, owner, code, docs }: Facts, { recipe, reason }: Chosen): string {
  const lines = text.split('\n')
  const find = (beginning: string): string => {
    const at = lines.findIndex((line) => line.trim().startsWith(beginning))
    return at === -1 ? '' : ` (line ${at + 1})`
  }
  const rows = [
    [`--recipe ${recipe}`, find('schedule:') || find('push:'), reason],
    ...(find('branches:') === ''
      ? []
      : [[`branches: ${branch}`, find('branches:'), 'the default branch of the clone']]),
    [`paths: ${code.value.join(' ')}`, find('paths:'), code.reason],
    docs === undefined
      ? ['no allowed-paths', '', 'no folder of docs was found']
      : [`allowed-paths: ${docs.value.join(' ')}`, find('allowed-paths:'), docs.reason],
    ...(owner === undefined ? [] : [[`${owner}/docs-agent-action`, find('uses:'), 'your --owner']]),
  ]
  return rows.map(([what = '', where = '', why = '']) => `• ${what}${where}: ${why}.\n`).join('')
}

/** What only a person can do. */
function listTasks(repository: string, left: readonly string[]): string {
  const inRepository = `--repo ${repository}`
  return [
    ...left,
    `gh secret set DOCS_AGENT_API_KEY ${inRepository}`,
    `gh variable set DOCS_AGENT_PROJECT_ID ${inRepository}`,
    `gh variable set DOCS_AGENT_BASE_URL ${inRepository}`,
  ]
    .map((line) => `  ${line}\n`)
    .join('')
}

/**
 * Writes the workflow for a clone, and runs it.
 * @param project the folder of this project
 * @returns the exit code: 1 if one of the files exists, or if the workflow is red
 */
export async function writeWorkflows(init: Init, project: string, terminal: Terminal): Promise<number> {
  const paint = choosePaint(terminal.stdout, terminal.env)
  const print = (text: string): void => {
    writeTo(terminal.stdout, text)
  }
  const clone = openClone(resolve(terminal.env['INIT_CWD'] ?? process.cwd(), init.clone))
  const folder = join(clone.folder, FOLDER)
  const paths = [MAIN, ATTACH].map((name) => join(folder, name))
  const existing = paths.find((path) => existsSync(path))
  if (existing !== undefined && !init.isPrinted) {
    writeTo(
      terminal.stderr,
      `${existing} exists, so nothing was written. Look at what would be written with --print, or run the file:${showCommand(`--workflow ${quote(existing)} --history ${quote(init.clone)}`)}\n`,
    )
    return 1
  }
  const facts: Facts = { branch: clone.branch, owner: init.owner, ...findLayout(clone.listFiles()) }
  const chosen = await chooseRecipe(facts, clone, init, project)
  const texts = [chosen.recipe, 'attach'].map((recipe) => fillRecipe(readRecipe(project, recipe), facts))
  const [content = ''] = texts
  // Before anything is written, because this can fail.
  const prepared = await prepareReplay({ name: MAIN, content }, clone, init, project)
  const { triggers } = prepared.replay.workflow
  const replayed = triggers.some(isReplayable)
    ? showText(await complete(prepared, await countBoth(prepared.replay, init), init), paint)
    : 'The history of a clone has no events of this recipe.\n'
  print(
    `${paint('bold', `${MAIN} for ${clone.repository}`)}\n\n${cleanForTerminal(describeDecisions(content, facts, chosen))}\n`,
  )
  let exitCode = 0
  for (const [at, text] of texts.entries()) {
    const path = paths[at] ?? ''
    if (init.isPrinted) terminal.stdout.write(`${paint('bold', `# ${FOLDER}/${[MAIN, ATTACH][at] ?? ''}`)}\n${text}\n`)
    else {
      mkdirSync(folder, { recursive: true })
      writeFileSync(path, text, { flag: 'wx' })
      print(`${paint('green', '✔')} wrote ${path}\n`)
    }
  }
  if (!init.isPrinted && triggers.some(({ event }) => isEventName(event)))
    exitCode = await rehearse(paths[0] ?? '', findChangedFile(clone, facts), project, terminal)
  const left = texts.flatMap((text, at) => listLeft(text).map((line) => `${[MAIN, ATTACH][at] ?? ''}, ${line}`))
  print(`\n${replayed}\n${paint('bold', 'Left for you')}, before you commit the two files:\n`)
  print(listTasks(clone.repository, left))
  return exitCode
}
