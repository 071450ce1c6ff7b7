import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openDependencies } from './dependencies.ts'
import { HELP, readOptions, SERVICE_VARIABLES, type Check } from './options.ts'
import { runStep } from './run-step.ts'
import { listScenarios } from './scenarios.ts'
import { writeTo, type Terminal } from './session.ts'
import { cleanForTerminal } from './terminal.ts'

/** Invalid usage. The action itself exits with 1. */
const USAGE_EXIT_CODE = 2

async function check({ service, jobId }: Check, terminal: Terminal): Promise<number> {
  const dependencies = await openDependencies(service, terminal.env)
  try {
    const { checkService } = await import('./check.ts')
    const found = await checkService(dependencies.inputs, jobId, terminal.env)
    const lines = found.map(({ mark, text }) => `${mark} ${cleanForTerminal(text)}\n`)
    const about =
      service.kind === 'real'
        ? 'Two read requests, a job and a page of visitors. Nothing is created.'
        : `This checks the embedded service. To check yours, set ${SERVICE_VARIABLES.join(', ')}.`
    writeTo(terminal.stdout, `${dependencies.title}\n${about}\n${lines.join('')}`)
    return found.some(({ mark }) => mark === '✘') ? 1 : 0
  } finally {
    await dependencies.close()
  }
}

/**
 * Runs the packaged action as a runner does, and shows its log and results.
 * @param folder the project's folder, with action.yml and dist
 * @returns the exit code: the action's own, or 2 for invalid usage
 */
export async function start(folder: string, terminal: Terminal): Promise<number> {
  const refuse = (message: string): number => {
    writeTo(terminal.stderr, `${cleanForTerminal(message).trim()}\n`)
    return USAGE_EXIT_CODE
  }
  try {
    const options = readOptions(terminal.argv.slice(2), terminal.env, join(folder, 'README.md'))
    if (options.kind === 'help' || options.kind === 'list') {
      writeTo(terminal.stdout, options.kind === 'help' ? HELP : listScenarios())
      return 0
    }
    if (options.kind === 'check') return await check(options, terminal)
    // Only these need the rules of the action.
    if (options.kind === 'history') {
      const { runHistory } = await import('./history/run-history.ts')
      return await runHistory(options, folder, terminal)
    }
    if (options.kind === 'init') {
      const { writeWorkflows } = await import('./init/write-workflows.ts')
      return await writeWorkflows(options, folder, terminal)
    }
    // Built from parts, because ncc copies files that a path with variables may name.
    const program = [folder, 'dist', options.kind === 'run' ? options.action : 'agent', 'index.js'].join('/')
    if (!existsSync(program)) return refuse(`${program} is missing. Make it with:\n  npm ci && npm run build`)
    if (options.kind === 'run')
      return await runStep(options, join(folder, options.action === 'agent' ? '.' : options.action), terminal)
    // Only this needs GitHub's parser.
    const { runWorkflow } = await import('./workflow/run-workflow.ts')
    return await runWorkflow(options, folder, terminal)
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
}
