import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DocsServiceClient, VisitorsQuery } from '../../src/docs-service/client.ts'
import type { VisitorsPage } from '../../src/docs-service/schemas.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import type { VisitorRow } from '../../src/visitors/export-format.ts'
import { INPUT_NAMES, parseVisitorsInputs, type VisitorsInputs } from '../../src/visitors/inputs.ts'
import { OUTPUT_NAMES, type Outputs } from '../../src/visitors/outputs.ts'
import type { Report } from '../../src/visitors/report.ts'
import { runVisitorsStep } from '../../src/visitors/step.ts'
import { fakeClient } from './fake-client.ts'
import { fakeClock } from './fake-clock.ts'
import { fakeHost, type FakeHost } from './fake-host.ts'
import { fakeStep } from './fake-step.ts'
import { temporaryFolder } from './temporary-folder.ts'

export const TOTALS = { human: 30, ai: 12, total: 40 }

/** The outputs of a step that asked nothing. */
export const NO_FILE = {
  ...(Object.fromEntries(OUTPUT_NAMES.map((name) => [name, ''])) as Outputs),
  rows: '0',
  complete: 'false',
  'top-pages': '[]',
}

/** A page of the site whose visitors are all human. */
export function row(path: string, total = 1): VisitorRow {
  return { path, human: total, ai: 0, total }
}

export function rows(count: number, prefix = '/page-'): VisitorRow[] {
  return Array.from({ length: count }, (_, index) => row(`${prefix}${index}`, index + 1))
}

/** An answer of the service, changed where a test is about something else. */
export function page(visitors: readonly VisitorRow[], fields: Partial<VisitorsPage> = {}): VisitorsPage {
  return { totals: TOTALS, visitors: [...visitors], hasMore: false, ...fields }
}

export interface PagesClient extends DocsServiceClient {
  readonly queries: VisitorsQuery[]
}

/** Answers one after the other; whoever asks for more than there are has asked too often. */
export function pagesClient(
  answers: readonly (VisitorsPage | Error)[],
  onRequest: (nth: number) => void = () => undefined,
): PagesClient {
  const queries: VisitorsQuery[] = []
  return {
    ...fakeClient({}),
    queries,
    getVisitors(query) {
      const answer = answers[queries.length]
      queries.push(query)
      onRequest(queries.length)
      if (answer === undefined) throw new Error('Nobody expected this request.')
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)
    },
  }
}

export const NOW = new Date('2026-03-01T12:00:00Z')

const GIVEN = { 'project-id': 'docs-demo', 'api-key': 'docs_key', 'base-url': 'https://docs.example.com/api/' }

/** The inputs as they are parsed from a workflow, where only what a test is about is given. */
export function visitorsInputs(given: Readonly<Record<string, string>>, workspace: string): VisitorsInputs {
  const nothing = Object.fromEntries(INPUT_NAMES.map((name) => [name, '']))
  return parseVisitorsInputs({ ...nothing, ...GIVEN, ...given }, { workspace, now: NOW })
}

export interface ScriptedExport {
  readonly report: Report
  /** The text of the file, undefined if there is none. Nothing else may be left in the workspace. */
  readonly written: () => string | undefined
  readonly queries: readonly VisitorsQuery[]
  readonly host: FakeHost
}

export interface ExportScript {
  readonly answers: readonly (VisitorsPage | Error)[]
  readonly inputs?: Partial<VisitorsInputs>
  readonly workspace?: string
  readonly onRequest?: (nth: number) => void
  /** Cancels the run while the service answers this request, counted from 1. */
  readonly cancelAtRequest?: number
  /** Cancels the run when it goes to sleep after this many sleeps. */
  readonly cancelAtSleep?: number
}

/** Runs the step against scripted answers, a folder of its own and a clock that moves only when someone sleeps. */
export async function runExport(script: ExportScript): Promise<ScriptedExport> {
  const { answers, inputs, workspace = temporaryFolder(), onRequest, cancelAtRequest, cancelAtSleep } = script
  const controller = new AbortController()
  const cancel = (): void => {
    controller.abort(new ActionError('cancelled', 'The run was cancelled.'))
  }
  const clock = fakeClock({
    onSleep: (before) => {
      if (before === cancelAtSleep) cancel()
    },
  })
  const client = pagesClient(answers, (nth) => {
    onRequest?.(nth)
    if (nth === cancelAtRequest) cancel()
  })
  const host = fakeHost()
  const all = { ...visitorsInputs({}, workspace), ...inputs }
  const step = fakeStep({ core: host, clock, client, signal: controller.signal, timeoutMs: all.timeoutMs })
  const report = await runVisitorsStep(all, step)
  return { report, queries: client.queries, host, written: () => textIn(workspace) }
}

/** The text of the only file there is. */
function textIn(workspace: string): string | undefined {
  const [name, ...others] = readdirSync(workspace)
  if (others.length > 0) throw new Error(`Besides ${name ?? ''} there is ${others.join(', ')}.`)
  return name === undefined ? undefined : readFileSync(join(workspace, name), 'utf8')
}

/** A report of an export that went well, changed where a test is about something else. */
export function visitorsReport(fields: Partial<Report> = {}): Report {
  return {
    ending: 'complete',
    projectId: 'docs-demo',
    range: { dateFrom: '2026-01-01', dateTo: '2026-02-01' },
    place: { file: '/workspace/out/visitors.csv', name: 'out/visitors.csv' },
    totals: TOTALS,
    rows: 3,
    topPages: [row('/a', 20), row('/b', 10), row('/c', 1)],
    doubts: new Set(),
    durationMs: 4_200,
    error: undefined,
    ...fields,
  }
}
