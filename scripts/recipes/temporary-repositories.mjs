import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { runAtExit } from '../small-runner/at-exit.ts'

/** All of this project that runs when somebody uses it. */
const ACTION_PARTS = ['action.yml', 'dist', 'visitors', 'emulator', '.github/workflows']

/** Newer than act 0.2.89, which refuses the file. */
const UNKNOWN_TO_THE_ENGINE = /^ +queue: max\n/m

/**
 * @param {string} prefix
 * @returns {{ folder: string, remove: () => void }} an empty folder that is gone at the latest when this process ends
 */
export function temporaryFolder(prefix) {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), prefix))
  const removeFolder = () => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
  const forget = runAtExit(removeFolder)
  const remove = () => {
    forget()
    removeFolder()
  }
  return { folder, remove }
}

/**
 * @param {string} project this project's folder
 * @param {string} target
 */
export function copyAction(project, target) {
  for (const part of ACTION_PARTS) cpSync(join(project, part), join(target, part), { recursive: true })
}

/**
 * @typedef {object} Commit
 * @property {number} daysAgo
 * @property {Readonly<Record<string, string>>} files by path
 */

const DAY_MS = 86_400_000

/**
 * @param {string} folder its files are committed, as whoever uses the action would have them
 */
export function commitAll(folder, daysAgo = 0) {
  const date = new Date(Date.now() - daysAgo * DAY_MS).toISOString()
  const env = { ...process.env, HOME: folder, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }
  const git = (/** @type {string[]} */ ...args) => {
    const person = ['-c', 'user.name=Rehearsal', '-c', 'user.email=rehearsal@example.com', '-c', 'commit.gpgsign=false']
    execFileSync('git', [...person, ...args], { cwd: folder, stdio: 'pipe', env })
  }
  git('init', '--quiet', '--initial-branch=main')
  git('add', '--all')
  git('commit', '--quiet', '--message', 'Docs')
}

/**
 * @param {string} folder
 * @param {Readonly<Record<string, string>>} files
 */
function writeAll(folder, files) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

/**
 * A repository that has one workflow, and the action apart from it, as on GitHub.
 *
 * @param {string} folder an empty one
 * @param {string} workflow the path of the workflow
 * @param {readonly Commit[]} [history] what was committed before, oldest first
 * @returns {{ repository: string, workflow: string }}
 */
export function makeCaller(folder, workflow, history = []) {
  const repository = join(folder, 'docs')
  const path = `.github/workflows/${basename(workflow)}`
  for (const { daysAgo, files } of history) {
    writeAll(repository, files)
    commitAll(repository, daysAgo)
  }
  mkdirSync(join(repository, '.github/workflows'), { recursive: true })
  writeFileSync(join(repository, path), readFileSync(workflow, 'utf8').replace(UNKNOWN_TO_THE_ENGINE, ''))
  commitAll(repository)
  return { repository, workflow: path }
}
