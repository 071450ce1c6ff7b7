import { systemClock } from '../runtime/clock.ts'
import { type CliOptions, createHelpText, parseCli } from './cli-options.ts'
import { combineScenarios } from './github/github-scenarios.ts'
import { formatRequest } from './request-log.ts'
import { type Emulator, startEmulator } from './server.ts'

interface Output {
  write(text: string): unknown
  on(event: 'error', listener: () => void): unknown
}

interface ServiceProcess {
  readonly argv: readonly string[]
  readonly stdout: Output
  readonly stderr: Pick<Output, 'write'>
  /** Sends a message to the parent process. Missing if the parent did not open an IPC channel. */
  send?(message: object): unknown
  once(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown
}

/**
 * Returns the text to print once the port is open. Programs parse the first line, `listening <url>`, so it must not change.
 * The key is public and works only for this service, so it may be printed.
 */
function createStartText(emulator: Emulator, { scenario, speed }: CliOptions): string {
  const { url, apiKey, projectId, github } = emulator
  return [
    `listening ${url}`,
    '',
    `The embedded documentation service runs the scenario ${scenario}, at ${speed} times the usual speed.`,
    '',
    'Create a job:',
    `  curl ${url}/v2/agent/${projectId}/job -H 'Authorization: Bearer ${apiKey}' -H 'Content-Type: application/json' -d '{"prompt":"Document the --dry-run flag."}'`,
    '',
    'Call its GitHub API:',
    `  GITHUB_API_URL=${github.apiUrl}`,
    `  GITHUB_TOKEN=${github.token}`,
    `  curl ${github.apiUrl}/repos/acme/docs/pulls -H 'Authorization: Bearer ${github.token}'`,
    '',
    'Run the action against it (npm start in another terminal) with these environment variables:',
    `  DOCS_AGENT_BASE_URL=${url}`,
    `  DOCS_AGENT_PROJECT_ID=${projectId}`,
    `  DOCS_AGENT_API_KEY=${apiKey}`,
    '',
    'The key works for any project. Key and token work only here. Press Ctrl-C to stop the service. Requests:',
  ].join('\n')
}

/** Returns the message to the parent process: what steps need to use the service. */
function createStartMessage({ url, apiKey, github }: Emulator): object {
  return { service: url, api: github.apiUrl, server: url, key: apiKey, token: github.token }
}

async function run(options: CliOptions, self: ServiceProcess, print: (text: string) => void): Promise<void> {
  const { gitHubScenarios, gitHubRepository, gitHubBranch, changedFiles, ...others } = options
  const emulator = await startEmulator({
    ...others,
    // Visits are generated for the two years before the start, so another date would leave the most recent days empty.
    startMs: systemClock.wallTime().getTime(),
    github: {
      scenario: combineScenarios(gitHubScenarios),
      changedFiles,
      ...(gitHubRepository === '' ? {} : { repository: gitHubRepository }),
      ...(gitHubBranch === '' ? {} : { branch: gitHubBranch }),
    },
    onRequest: (request) => {
      print(formatRequest(request))
    },
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    self.once(signal, () => {
      void emulator.close()
    })
  // The service keeps running if the reader of its log closes the pipe.
  self.stdout.on('error', () => undefined)
  print(createStartText(emulator, options))
  self.send?.(createStartMessage(emulator))
}

/**
 * Runs the embedded service as a program until a signal ends it.
 * @returns the exit code: 0 once the service runs, 1 if it did not start, 2 for an invalid command line
 */
export async function runProgram(self: ServiceProcess): Promise<number> {
  const print = (text: string): void => void self.stdout.write(`${text}\n`)
  const fail = (message: string, exitCode: number): number => {
    self.stderr.write(`error: ${message}\n`)
    return exitCode
  }
  const command = parseCli(self.argv.slice(2))
  if (command.kind === 'invalid') return fail(`${command.message} See --help.`, 2)
  try {
    if (command.kind === 'help') print(createHelpText())
    else await run(command.options, self, print)
    return 0
  } catch (error) {
    return fail(`The service did not start: ${error instanceof Error ? error.message : String(error)}.`, 1)
  }
}
