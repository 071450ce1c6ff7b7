import type { VisitorsQuery } from '../../src/service/client.ts'
import type { VisitorsPage } from '../../src/service/schemas.ts'
import { ActionError } from '../../src/shared/errors.ts'
import { OutputFileError, type OutputFile } from '../../src/shared/workspace-output.ts'
import type { VisitorRow } from '../../src/visitors/export-format.ts'
import type { VisitorsInputs } from '../../src/visitors/inputs.ts'
import type { Report } from '../../src/visitors/report.ts'
import { exportVisitors } from '../../src/visitors/step.ts'
import { fakeClock, type FakeClock } from './fake-clock.ts'

export const TOTALS = { human: 30, ai: 12, total: 40 }

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

export interface PagesClient {
  readonly queries: VisitorsQuery[]
  readonly getVisitors: (query: VisitorsQuery) => Promise<VisitorsPage>
}

/** Answers one after the other; whoever asks for more than there are has asked too often. */
export function pagesClient(
  answers: readonly (VisitorsPage | Error)[],
  onRequest: (nth: number) => void = () => undefined,
): PagesClient {
  const queries: VisitorsQuery[] = []
  return {
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

export interface MemoryFile extends OutputFile {
  /** What was written and neither committed nor discarded. */
  readonly pending: () => string | undefined
  /** What was committed. */
  readonly content: () => string | undefined
}

/** A file in memory, on a disk that is full after so many writes. */
export function memoryFile(fullAfterWrites = Infinity): MemoryFile {
  let writes = 0
  let pending: string | undefined = ''
  let content: string | undefined
  return {
    pending: () => pending,
    content: () => content,
    write(text) {
      if (writes++ >= fullAfterWrites) throw new OutputFileError('The disk is full.', 'Make room.')
      pending = (pending ?? '') + text
    },
    commit() {
      content = pending
      pending = undefined
    },
    discard() {
      pending = undefined
    },
  }
}

export interface ScriptedExport {
  readonly report: Report
  readonly file: MemoryFile
  readonly queries: readonly VisitorsQuery[]
  readonly clock: FakeClock
  readonly log: readonly string[]
}

export interface ExportScript {
  readonly answers: readonly (VisitorsPage | Error)[]
  readonly inputs?: Partial<VisitorsInputs>
  readonly file?: MemoryFile
  readonly openError?: Error
  readonly secret?: string
  /** Cancels the run while the service answers this request, counted from 1. */
  readonly cancelAtRequest?: number
  /** Cancels the run when it goes to sleep after this many sleeps. */
  readonly cancelAtSleep?: number
}

/** Runs the use case against scripted answers and a clock that moves only when someone sleeps. */
export async function runExport(script: ExportScript): Promise<ScriptedExport> {
  const { answers, inputs, file = memoryFile(), openError, secret, cancelAtRequest, cancelAtSleep } = script
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
    if (nth === cancelAtRequest) cancel()
  })
  const log: string[] = []
  const report = await exportVisitors(
    {
      projectId: 'docs-demo',
      range: {},
      format: 'csv',
      place: { file: '/workspace/visitors.csv', name: 'visitors.csv' },
      top: 20,
      timeoutMs: 900_000,
      ...inputs,
    },
    {
      client,
      clock,
      signal: controller.signal,
      random: () => 0.5,
      startedAt: clock.now(),
      log: (line) => log.push(line),
      redact: (text) => (secret === undefined ? text : text.replaceAll(secret, '***')),
      openFile: () => {
        if (openError !== undefined) throw openError
        return file
      },
    },
  )
  return { report, file, queries: client.queries, clock, log }
}

/** A report of an export that went well, changed where a test is about something else. */
export function visitorsReport(fields: Partial<Report> = {}): Report {
  return {
    ending: 'complete',
    range: { dateFrom: '2026-01-01', dateTo: '2026-02-01' },
    place: { file: '/workspace/out/visitors.csv', name: 'out/visitors.csv' },
    totals: TOTALS,
    rows: 3,
    topPages: [row('/a', 20), row('/b', 10), row('/c', 1)],
    doubts: [],
    durationMs: 4_200,
    error: undefined,
    ...fields,
  }
}
