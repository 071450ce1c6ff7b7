import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { afterAll, afterEach, beforeEach, jest } from '@jest/globals'

const EVENTS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'uncaughtException', 'unhandledRejection', 'exit'] as const

export interface StepProcess {
  readonly outputFile: string
  readonly summaryFile: string
  /** The exit codes of all calls of `process.exit`. */
  readonly exitCodes: () => readonly unknown[]
}

/** Makes this process look like the process of a step: with the runner's files, and without a real `process.exit`. */
export function simulateStepProcess(): StepProcess {
  const folder = fs.mkdtempSync(path.join(tmpdir(), 'step-'))
  const [outputFile, summaryFile] = [path.join(folder, 'output'), path.join(folder, 'summary')]
  const listenersBefore = EVENTS.map((name) => process.listeners(name as 'SIGINT'))
  const streamListenersBefore = process.stdout.listeners('error')
  const exit = jest.spyOn(process, 'exit')
  const envBefore = { ...process.env }
  let exitCodes: unknown[] = []

  beforeEach(() => {
    fs.rmSync(summaryFile, { force: true, recursive: true })
    fs.writeFileSync(outputFile, '')
    fs.writeFileSync(summaryFile, '')
    Object.assign(process.env, { GITHUB_OUTPUT: outputFile, GITHUB_STEP_SUMMARY: summaryFile })
    process.exitCode = undefined
    exitCodes = []
    exit.mockReset().mockImplementation((code) => {
      exitCodes.push(code ?? process.exitCode)
      return undefined as never
    })
  })

  afterEach(() => {
    process.exitCode = undefined
    for (const name of Object.keys(process.env)) if (!(name in envBefore)) Reflect.deleteProperty(process.env, name)
    for (const listener of process.stdout.listeners('error')) {
      if (!streamListenersBefore.includes(listener)) process.stdout.off('error', listener as () => void)
    }
    EVENTS.forEach((name, index) => {
      for (const listener of process.listeners(name as 'SIGINT')) {
        if (listenersBefore[index]?.includes(listener) !== true) process.off(name, listener)
      }
    })
  })

  afterAll(() => {
    fs.rmSync(folder, { recursive: true })
  })

  return { outputFile, summaryFile, exitCodes: () => exitCodes }
}
