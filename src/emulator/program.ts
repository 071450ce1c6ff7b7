import { systemClock } from '../runtime/clock.ts'
import { type CliOptions, helpText, parseCli } from './cli-options.ts'
import { combineScenarios } from './github/github-scenarios.ts'
import { logLine } from './request-log.ts'
import { startEmulator } from './server.ts'
import { startText } from './start-text.ts'

interface Output {
  write(text: string): unknown
  on(event: 'error', listener: () => void): unknown
}

/** What is needed of a process. */
interface ServiceProcess {
  readonly argv: readonly string[]
  readonly pid: number
  readonly stdout: Output
  readonly stderr: Pick<Output, 'write'>
  once(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown
}

async function run(options: CliOptions, self: ServiceProcess, print: (text: string) => void): Promise<void> {
  const { gitHubScenarios, gitHubRepository, ...others } = options
  const emulator = await startEmulator({
    ...others,
    instance: String(self.pid),
    github: {
      scenario: combineScenarios(gitHubScenarios),
      ...(gitHubRepository === '' ? {} : { repository: gitHubRepository }),
    },
    onRequest: (request) => {
      print(logLine(request))
    },
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) self.once(signal, () => void emulator.close())
  // Whoever read the log may go; the service stays.
  self.stdout.on('error', () => undefined)
  print(startText(emulator, options))
}

/**
 * The embedded service as a program of its own, until a signal ends it.
 * @returns the exit code: 0 once it runs, 1 where it did not start, 2 for a command line that it does not take
 */
export async function runProgram(self: ServiceProcess): Promise<number> {
  const print = (text: string): void => void self.stdout.write(`${text}\n`)
  const fail = (message: string, exitCode: number): number => {
    self.stderr.write(`error: ${message}\n`)
    return exitCode
  }
  const command = parseCli(self.argv.slice(2), systemClock.wallTime().getTime())
  if (command.kind === 'invalid') return fail(`${command.message} See --help.`, 2)
  try {
    if (command.kind === 'help') print(helpText())
    else await run(command.options, self, print)
    return 0
  } catch (error) {
    return fail(`The service did not start: ${error instanceof Error ? error.message : String(error)}.`, 1)
  }
}
