import { type CliOptions, helpText, parseCli } from '../emulator/cli-options.ts'
import { combineScenarios } from '../emulator/github/github-scenarios.ts'
import { logLine } from '../emulator/request-log.ts'
import { type Emulator, startEmulator } from '../emulator/server.ts'
import { startText } from '../emulator/start-text.ts'
import { systemClock } from '../shared/clock.ts'

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

function fail(message: string, exitCode: number): void {
  process.stderr.write(`error: ${message}\n`)
  process.exitCode = exitCode
}

/** Whoever read the log may go; the service stays. */
function surviveItsReader(): void {
  process.stdout.on('error', () => undefined)
}

function closeOnSignal(emulator: Emulator): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void emulator.close())
  }
}

async function run(options: CliOptions): Promise<void> {
  const emulator = await startEmulator({
    ...options,
    instance: String(process.pid),
    github: { scenario: combineScenarios(options.gitHubScenarios) },
    onRequest: (request) => {
      print(logLine(request))
    },
  })
  closeOnSignal(emulator)
  surviveItsReader()
  print(startText(emulator, options))
}

const command = parseCli(process.argv.slice(2), systemClock.wallTime().getTime())
if (command.kind === 'help') {
  print(helpText())
} else if (command.kind === 'invalid') {
  fail(`${command.message} See --help.`, 2)
} else {
  run(command.options).catch((error: unknown) => {
    fail(`The service did not start: ${error instanceof Error ? error.message : String(error)}.`, 1)
  })
}
