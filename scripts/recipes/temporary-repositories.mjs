import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { runAtExit } from '../small-runner/at-exit.ts'

/** All of this project that runs when somebody uses it. */
const ACTION_PARTS = ['action.yml', 'dist', 'visitors', 'emulator', '.github/workflows']

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
 * @param {string} folder its files are committed, as whoever uses the action would have them
 */
export function commitAll(folder) {
  const git = (/** @type {string[]} */ ...args) => {
    const person = ['-c', 'user.name=Rehearsal', '-c', 'user.email=rehearsal@example.com', '-c', 'commit.gpgsign=false']
    execFileSync('git', [...person, ...args], { cwd: folder, stdio: 'pipe', env: { ...process.env, HOME: folder } })
  }
  git('init', '--quiet', '--initial-branch=main')
  git('add', '--all')
  git('commit', '--quiet', '--message', 'Docs')
}

/**
 * A repository that has one workflow, and the action apart from it, as on GitHub.
 *
 * @param {string} folder an empty one
 * @param {string} workflow the path of the workflow
 * @returns {{ repository: string, workflow: string }}
 */
export function makeCaller(folder, workflow) {
  const repository = join(folder, 'docs')
  const path = `.github/workflows/${basename(workflow)}`
  mkdirSync(join(repository, '.github/workflows'), { recursive: true })
  cpSync(workflow, join(repository, path))
  commitAll(repository)
  return { repository, workflow: path }
}
