import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { jest } from '@jest/globals'
import { NODE_24 } from '../../scripts/small-runner/node-24.ts'
import { runAction, type RunOptions, type RunResult } from '../../scripts/small-runner/run-action.ts'

// Starting a process can take seconds on a busy machine.
jest.setTimeout(60_000)

/**
 * Runs the packaged action of a folder of this project as a GitHub runner does. The folder for temporary files is one that
 * outlives the run, as on a runner, where all steps of a job share it.
 */
export function runStage(
  folder: '.' | 'emulator',
  options: Pick<RunOptions, 'inputs' | 'stage' | 'state'>,
): Promise<RunResult> {
  const action = fileURLToPath(new URL(`../../${folder}`, import.meta.url))
  return runAction({ action, node: NODE_24, env: { RUNNER_TEMP: tmpdir() }, ...options })
}
