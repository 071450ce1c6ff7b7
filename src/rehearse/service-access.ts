/** How to reach a service that runs. */
export interface ServiceAccess {
  /** With no slash at the end. */
  readonly baseUrl: string
  readonly projectId: string
  /** Public: it opens nothing but this service. */
  readonly apiKey: string
}

const START_LINES: Readonly<Record<keyof ServiceAccess, RegExp>> = {
  baseUrl: /^listening (\S+)$/m,
  projectId: /^ *DOCS_AGENT_PROJECT_ID=(\S+)$/m,
  apiKey: /^ *DOCS_AGENT_API_KEY=(\S+)$/m,
}

/** Reads what the service prints when its port is open, or undefined where not all of it is there yet. */
export function readServiceAccess(log: string): ServiceAccess | undefined {
  // The last line may be only half written.
  const lines = log.slice(0, log.lastIndexOf('\n') + 1)
  const find = (name: keyof ServiceAccess): string | undefined => START_LINES[name].exec(lines)?.[1]
  const [baseUrl, projectId, apiKey] = [find('baseUrl'), find('projectId'), find('apiKey')]
  if (baseUrl === undefined || projectId === undefined || apiKey === undefined) return undefined
  return { baseUrl, projectId, apiKey }
}

/** What the service logged since it was ready. What it says before is for people at a terminal, not for a runner's log. */
export function withoutStartText(log: string): string {
  return log.replace(/^listening [^]*?Requests:\r?\n/, '')
}
