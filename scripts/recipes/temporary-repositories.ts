import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parse } from 'yaml'
import { listCodeBlocks, root } from '../../testing/markdown-files.ts'
import { CENTRAL_RECIPE, type Workflow } from '../../testing/workflow-files.ts'

/** The parts of this project that users run. */
const ACTION_PARTS = ['action.yml', 'dist', 'visitors', 'report', 'emulator', '.github/workflows']

/** act 0.2.89 rejects a workflow with this key. */
const UNSUPPORTED_KEY = /^ +queue: max\n/m

export interface Commit {
  readonly daysAgo: number
  readonly files: Readonly<Record<string, string>>
}

const DAY_MS = 86_400_000

/** Commits all files of a folder. */
function commitAll(folder: string, daysAgo = 0): void {
  const date = new Date(Date.now() - daysAgo * DAY_MS).toISOString()
  const env = { ...process.env, HOME: folder, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }
  const person = ['-c', 'user.name=Rehearsal', '-c', 'user.email=rehearsal@example.com', '-c', 'commit.gpgsign=false']
  for (const command of ['init --quiet --initial-branch=main', 'add --all', 'commit --quiet --message Docs'])
    execFileSync('git', [...person, ...command.split(' ')], { cwd: folder, stdio: 'pipe', env })
}

export interface Caller {
  readonly repository: string
  /** The path of the workflow in the repository. */
  readonly workflow: string
}

/** Documents whose steps are below a heading. Their permissions are those of a recipe. */
const EXCERPTS: Readonly<Record<string, { readonly heading: string; readonly recipe: string }>> = {
  'docs/checks-and-merging.md': { heading: '## Merge automatically\n', recipe: 'docs/recipes/before-auto-merge.yml' },
}

function toWorkflow(steps: string, permissions: object = {}): string {
  const indented = steps.replaceAll(/^(?=.)/gm, '      ')
  const job = `  steps:\n    runs-on: ubuntu-latest\n    steps:\n${indented}`
  return `on:\n  workflow_dispatch:\npermissions: ${JSON.stringify(permissions)}\njobs:\n${job}`
}

function replaceAll(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`The recipe does not contain: ${from}`)
  return text.replaceAll(from, () => to)
}

/**
 * Reads a workflow file, or creates a workflow from the steps in a document.
 * @param changes texts, and what replaces them
 */
export function readWorkflowText(recipe: string, changes: Readonly<Record<string, string>> = {}): string {
  return Object.entries(changes).reduce((text, [from, to]) => replaceAll(text, from, to), readUnchanged(recipe))
}

function readUnchanged(recipe: string): string {
  const text = readFileSync(join(root, recipe), 'utf8')
  const excerpt = EXCERPTS[recipe]
  if (excerpt !== undefined) {
    const [steps] = listCodeBlocks(text.split(excerpt.heading)[1] ?? '', 'yaml')
    if (steps === undefined) throw new Error(`${recipe} has no steps below “${excerpt.heading.trim()}”.`)
    const { permissions } = parse(readUnchanged(excerpt.recipe)) as Workflow
    return toWorkflow(steps, permissions)
  }
  return text
}

/**
 * Creates the repository that a recipe runs in, with only this workflow, and the repository of the action. A workflow
 * of this project runs in the latter.
 * @param folder an empty folder, which gets a copy of the action in `action`, and an organisation's workflows in
 *   `workflows`
 * @param text of the recipe
 * @param history the earlier commits, oldest first
 */
export function createRepositories(
  folder: string,
  recipe: string,
  text: string,
  history: readonly Commit[] = [],
): Caller {
  const action = join(folder, 'action')
  for (const part of ACTION_PARTS) cpSync(join(root, part), join(action, part), { recursive: true })
  if (recipe.startsWith('.github/')) {
    commitAll(action)
    return { repository: action, workflow: recipe }
  }
  const central = join(folder, 'workflows/.github/workflows/docs.yml')
  mkdirSync(dirname(central), { recursive: true })
  writeFileSync(central, readWorkflowText(CENTRAL_RECIPE))
  const repository = join(folder, 'docs')
  const workflow = `.github/workflows/${basename(recipe).replace('.md', '.yml')}`
  const itself = { daysAgo: 0, files: { [workflow]: text.replace(UNSUPPORTED_KEY, '') } }
  for (const { daysAgo, files } of [...history, itself]) {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(repository, path)), { recursive: true })
      writeFileSync(join(repository, path), content)
    }
    commitAll(repository, daysAgo)
  }
  return { repository, workflow }
}
