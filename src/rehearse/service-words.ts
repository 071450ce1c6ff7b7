/**
 * The inputs, in the order of emulator/action.yml, with what each means where it is left empty, so that a workflow can pass on
 * an input of its own that was not given. Each is a flag of the service's command line too.
 */
export const INPUT_DEFAULTS = {
  scenario: 'pull-request',
  'github-scenario': 'checks-pass',
  speed: '1',
  port: '0',
} as const

/**
 * The service's command line. Values are not judged here: the service knows its scenarios and ranges, and no bundle of an
 * action contains the service.
 * @param repository of the run, `owner/name`, so that its own commits can be asked about
 */
export function serviceArguments(input: (name: string) => string, repository = ''): string[] {
  const flags = Object.entries(INPUT_DEFAULTS).map(([name, usual]) => `--${name}=${input(name).trim() || usual}`)
  return repository === '' ? flags : [...flags, `--github-repository=${repository}`]
}

const FLAG = new RegExp(`--(${Object.keys(INPUT_DEFAULTS).join('|')})(?![\\w-])`, 'g')

/** What the service says of its command line or its port, in the words of whoever wrote the workflow. */
export function toInputWords(complaint: string): string {
  return complaint
    .trim()
    .replace(/^error: /, '')
    .replace(/ See --help\.$/, '')
    .replace(FLAG, '`$1`')
}

/** How to reach a service that runs. */
export interface ServiceAccess {
  /** With no slash at the end. */
  readonly baseUrl: string
  readonly projectId: string
  /** Public: it opens nothing but this service. */
  readonly apiKey: string
  /** Of the GitHub beside it. */
  readonly gitHubApiUrl: string
  /** Public, as the key is. */
  readonly gitHubToken: string
}

const START_LINES: Readonly<Record<keyof ServiceAccess, RegExp>> = {
  baseUrl: /^listening (\S+)$/m,
  projectId: /^ *DOCS_AGENT_PROJECT_ID=(\S+)$/m,
  apiKey: /^ *DOCS_AGENT_API_KEY=(\S+)$/m,
  gitHubApiUrl: /^ *GITHUB_API_URL=(\S+)$/m,
  gitHubToken: /^ *GITHUB_TOKEN=(\S+)$/m,
}

/** Reads what the service prints when its port is open, or undefined if not all of it is there yet. */
export function readServiceAccess(log: string): ServiceAccess | undefined {
  // The last line may be only half written.
  const lines = log.slice(0, log.lastIndexOf('\n') + 1)
  const found = Object.entries(START_LINES).map(([name, line]) => [name, line.exec(lines)?.[1]] as const)
  if (found.some(([, value]) => value === undefined)) return undefined
  return Object.fromEntries(found) as unknown as ServiceAccess
}

/** What the service logged since it was ready. What it says before is for people at a terminal, not for a runner's log. */
export function withoutStartText(log: string): string {
  return log.replace(/^listening [^]*?Requests:\r?\n/, '')
}
