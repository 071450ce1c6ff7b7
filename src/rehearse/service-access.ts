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
