import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { jest } from '@jest/globals'
import { runAction, type RunOptions, type RunResult } from '../../scripts/small-runner/run-action.ts'

/** The Node.js that `using: node24` stands for. */
const NODE_24 = fileURLToPath(
  new URL(`../../node_modules/node/bin/node${process.platform === 'win32' ? '.exe' : ''}`, import.meta.url),
)

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
