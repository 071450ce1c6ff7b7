import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { root } from '../../testing/markdown-files.ts'
import { CENTRAL_RECIPE } from '../../testing/workflow-files.ts'

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

function replaceAll(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`The recipe does not contain: ${from}`)
  return text.replaceAll(from, () => to)
}

/** @param changes texts in the workflow file, and what replaces them */
export function readWorkflowText(recipe: string, changes: Readonly<Record<string, string>> = {}): string {
  const text = readFileSync(join(root, recipe), 'utf8')
  return Object.entries(changes).reduce((changed, [from, to]) => replaceAll(changed, from, to), text)
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
  const workflow = `.github/workflows/${basename(recipe)}`
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
