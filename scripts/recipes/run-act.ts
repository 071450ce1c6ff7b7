import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import type { Caller } from './temporary-repositories.ts'

type Texts = Readonly<Record<string, string>>

export interface ActRun extends Caller {
  readonly act: string
  /** An empty folder for the files of the run. */
  readonly folder: string
  readonly eventName: string
  readonly event: object
  readonly matrix: readonly string[]
  readonly vars: Texts
  readonly secrets: Texts
  readonly env: Texts
  /** Folders to use instead of repositories, by `owner/name@ref`. */
  readonly repositories: Texts
}

/** A run that takes longer hangs. */
const MAX_RUN_MS = 600_000
/** Programs that take precedence over those of the machine. */
const PROGRAMS = join(import.meta.dirname, 'fakes/bin')

const repeat = (flag: string, values: Texts): string[] =>
  Object.entries(values).flatMap(([name, value]) => [flag, `${name}=${value}`])

/**
 * Runs a workflow with act on this machine, without containers. Passes on only the PATH of the caller's environment,
 * and ignores the user's settings for act.
 */
export async function runAct(run: ActRun): Promise<{ readonly exitCode: number | null; readonly log: string }> {
  const { folder, secrets } = run
  const eventFile = join(folder, 'event.json')
  const home = join(folder, 'home')
  mkdirSync(home)
  writeFileSync(eventFile, JSON.stringify(run.event))
  const args = [
    run.eventName,
    ...['--json', '--no-cache-server', '--pull=false', '--platform=ubuntu-latest=-self-hosted'],
    ...['--workflows', run.workflow, '--eventpath', eventFile, '--action-cache-path', join(folder, 'cache')],
    ...run.matrix.flatMap((choice) => ['--matrix', choice]),
    ...repeat('--var', run.vars),
    ...repeat('--env', run.env),
    ...repeat('--local-repository', run.repositories),
    // Only the names: the values come from the environment, which other users cannot see.
    ...Object.keys(secrets).flatMap((name) => ['--secret', name]),
  ]
  const env = {
    ...secrets,
    PATH: [PROGRAMS, dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter),
    HOME: home,
    XDG_CACHE_HOME: join(home, '.cache'),
    XDG_CONFIG_HOME: join(home, '.config'),
  }
  const child = spawn(run.act, args, { cwd: run.repository, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let log = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      log += text
    })
  }
  const watchdog = setTimeout(() => {
    log += `\n(ended after ${MAX_RUN_MS / 1000} seconds)\n`
    child.kill('SIGKILL')
  }, MAX_RUN_MS)
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  clearTimeout(watchdog)
  return { exitCode, log }
}
