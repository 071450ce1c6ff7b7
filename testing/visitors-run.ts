import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from '@jest/globals'
import type { VisitorsPage } from '../src/docs-service/interface.ts'
import { EMULATOR_KEY } from '../src/emulator/http/access.ts'
import { jsonResponse, type ServiceResponse } from '../src/emulator/http/exchange.ts'
import type { PeriodComparison } from '../src/visitors/comparison.ts'
import {
  parseVisitorsInputs,
  type VisitorRow,
  type VisitorsInputs,
  type VisitorTotals,
} from '../src/visitors/inputs.ts'
import { toExportOutputs, type ExportReport } from '../src/visitors/report.ts'
import { visitorsAction } from '../src/visitors/visitors-action.ts'
import { readPageRequest, type PageRequest } from './paging-server.ts'
import { playFeature, type FeaturePlay, type Played } from './play-feature.ts'
import type { Respond } from './respond-in-process.ts'
import { listNames, createTemporaryFolder } from './temporary-folder.ts'

export const SERVICE_URL = 'http://127.0.0.1:4010'

export const TOTALS = { human: 30, ai: 12, total: 40 }

export const VISITORS_OUTPUT_NAMES = Object.keys(toExportOutputs(visitorsAction.createSkippedReport(undefined, 0)))

/** The outputs of a step without an export. */
export const NO_FILE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(VISITORS_OUTPUT_NAMES.map((name) => [name, ''])),
  rows: '0',
  complete: 'false',
  'top-pages': '[]',
}

/** Creates the row of a page whose visitors are all human. */
export function createRow(path: string, total = 1): VisitorRow {
  return { path, human: total, ai: 0, total }
}

export function createRows(count: number, prefix = '/page-'): VisitorRow[] {
  return Array.from({ length: count }, (_, index) => createRow(`${prefix}${index}`, index + 1))
}

/** Creates a page of visitors. */
export function createPage(visitors: readonly VisitorRow[], fields: Partial<VisitorsPage> = {}): VisitorsPage {
  return { totals: TOTALS, visitors: [...visitors], hasMore: false, ...fields }
}

/** A page, or another response. */
export type PageResult = Pick<VisitorsPage, 'totals'> | Partial<ServiceResponse>

export function respondWith(respond: (request: PageRequest) => PageResult): Respond {
  let nth = 0
  return ({ target }) => {
    const given = respond(readPageRequest(target, ++nth))
    return 'totals' in given ? jsonResponse(200, given) : { ...jsonResponse(200, {}), ...given }
  }
}

/** Responds in order. Further requests get a 599, because they are not expected. */
export function respondInOrder(...responses: readonly PageResult[]): Respond {
  return respondWith(({ nth }) => responses[nth - 1] ?? { status: 599 })
}

export function createRefusal(status: number, seconds?: number): ServiceResponse {
  return jsonResponse(status, { error: 'No.' }, seconds === undefined ? {} : { 'retry-after': String(seconds) })
}

export interface ExportRun extends Played<ExportReport> {
  readonly requests: readonly (PageRequest & { readonly atMs: number })[]
  /** The content of the exported file. Undefined if there is none. */
  readonly written: string | undefined
}

const GIVEN = { 'project-id': 'docs-demo', 'api-key': EMULATOR_KEY, 'base-url': SERVICE_URL }

/** Parses inputs as a step does, with defaults for all that a test does not set. */
export function parseInputs(given: Readonly<Record<string, string>>, workspace: string): VisitorsInputs {
  return parseVisitorsInputs({ ...GIVEN, ...given }, workspace, new Date('2026-03-01T12:00:00Z'))
}

const START_MS = Date.UTC(2026, 0, 1)

/**
 * Runs the action.
 * @param onStart called after the inputs have been read
 */
export function playExport(
  respond: Respond,
  given: Readonly<Record<string, string>> = {},
  play: Partial<FeaturePlay> = {},
  onStart: () => void = () => undefined,
): Promise<Played<ExportReport>> {
  const run: typeof visitorsAction.run = (inputs, ...step) => {
    onStart()
    return visitorsAction.run(inputs, ...step)
  }
  return playFeature({ ...visitorsAction, run }, { given: { ...GIVEN, ...given }, respond, ...play })
}

/** Runs the action, and checks that it leaves no file except the exported one. */
export async function runExport(
  respond: Respond,
  given: Readonly<Record<string, string>> = {},
  play: Partial<FeaturePlay> = {},
): Promise<ExportRun> {
  const workspace = createTemporaryFolder()
  const requests: (PageRequest & { atMs: number })[] = []
  const observe: Respond = (request, nowMs) => {
    requests.push({ ...readPageRequest(request.target, requests.length + 1), atMs: nowMs - START_MS })
    return respond(request, nowMs)
  }
  const played = await playExport(observe, given, { workspace, ...play })
  const { file = '' } = played.outputs
  const found = listNames(workspace).filter((name) => name !== 'out')
  expect(found).toEqual(file === '' ? [] : [file])
  const written = file === '' ? undefined : readFileSync(join(workspace, file), 'utf8')
  return { ...played, requests, written }
}

const JANUARY = { dateFrom: '2026-01-01', dateTo: '2026-02-01' }

/** Creates a comparison with the 31 days before January. */
export function createComparison(totals: VisitorTotals): PeriodComparison {
  return { name: 'the 31 days before', totals }
}

/** Creates a report, by default of a complete export. Only a complete or uncertain export leaves a file. */
export function createVisitorsReport(fields: Partial<ExportReport> = {}): ExportReport {
  const hasFile = ['complete', 'uncertain'].includes(fields.ending ?? 'complete')
  return {
    ending: 'complete',
    projectId: 'docs-demo',
    range: JANUARY,
    ...(hasFile ? { file: 'out/visitors.csv' } : {}),
    totals: TOTALS,
    rows: 3,
    topPages: [createRow('/a', 20), createRow('/b', 10), createRow('/c', 1)],
    doubts: '',
    durationMs: 4_200,
    ...fields,
  }
}
