/** Writes one table of all projects of a fleet, from the files that their jobs left. */
import * as fs from 'node:fs'
import { join } from 'node:path'
import { field, type Input, parseFields, readRawInputs, textInput, wholeNumberInput } from '../action/inputs.ts'
import type { Host, StepResult } from '../action/step.ts'
import { isObject } from './projects.ts'

const namesInput: Input<readonly string[]> = (text) => text.split(' ')

/** Every input of fleet/table/action.yml, in its order. */
export const TABLE_FIELDS = {
  names: field('names', '', namesInput),
  attempt: field('attempt', '1', wholeNumberInput(1, 999_999)),
  folder: field('folder', 'fleet-results', textInput(/./, 'is empty')),
}

type Outputs = Readonly<Record<string, string>>

/** What is known of a project. Undefined: its job never reported. */
export interface ProjectResult {
  /** The conclusion of the step that ran the action. */
  readonly conclusion: string
  /** The id of the workflow's job, for its page. Empty if unknown. */
  readonly checkRun: string
  /** Undefined if the action wrote none that can be used. */
  readonly outputs: Outputs | undefined
}

/** The action always writes `outcome`, so outputs without it are of a step that did not run, or was killed at its start. */
const isUsable = (value: unknown): value is Outputs =>
  isObject(value) && Object.values(value).every((text) => typeof text === 'string') && Boolean(value['outcome'])

function parseResult(text: string): ProjectResult {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    parsed = undefined
  }
  const { conclusion, outputs, 'check-run': checkRun } = isObject(parsed) ? parsed : {}
  return {
    conclusion: typeof conclusion === 'string' ? conclusion : '',
    checkRun: typeof checkRun === 'string' && /^\d+$/.test(checkRun) ? checkRun : '',
    outputs: isUsable(outputs) ? outputs : undefined,
  }
}

const FILE = /^([\w-]+)\.(\d+)\.json$/

/**
 * Reads the newest result of each project from the files `<project>.<attempt>.json`.
 * @param minAttempt the attempt in which the inputs were checked. "Re-run failed jobs" does not check them again and keeps the
 *   results of green projects. "Re-run all jobs" does, and a project whose runner is lost then leaves an earlier file only.
 */
export function readResults(folder: string, minAttempt: number): ReadonlyMap<string, ProjectResult> {
  const newest = new Map<string, number>()
  // The folder is missing if no project reported.
  for (const file of fs.existsSync(folder) ? fs.readdirSync(folder) : []) {
    const [, project = '', attempt = ''] = FILE.exec(file) ?? []
    if (Number(attempt) >= Math.max(minAttempt, newest.get(project) ?? 0)) newest.set(project, Number(attempt))
  }
  const read = (file: string): ProjectResult => parseResult(fs.readFileSync(join(folder, file), 'utf8'))
  return new Map(Array.from(newest, ([project, attempt]) => [project, read(`${project}.${attempt}.json`)]))
}

const isGreen = (result: ProjectResult | undefined): boolean =>
  result?.conclusion === 'success' && result.outputs !== undefined

/** Says what to do about a project that reported an outcome. */
function getNextStep(isGreen: boolean, outcome: string, jobId: string): string {
  if (isGreen && outcome === 'pull-request') return 'Review it.'
  if (isGreen && ['no-changes', 'skipped'].includes(outcome)) return 'Nothing.'
  if (outcome === 'pull-request') return 'Read in its log what is missing, and continue in the pull request.'
  if (outcome === 'no-changes') return 'Check whether the prompt fits the project.'
  if (['timed-out', 'cancelled', 'submitted'].includes(outcome))
    return jobId === '' ? 'Call the workflow with it again.' : 'Wait for it with `job-id`.'
  if (['failed', 'archived'].includes(outcome))
    return 'Read its job in the dashboard, and call the workflow with this project again.'
  return 'Read the error in its log: it says whether a job may exist.'
}

function listCells(project: string, result: ProjectResult | undefined, run: string): readonly string[] {
  if (result === undefined) {
    const advice = 'Look for its job in the dashboard before you call the workflow with it again.'
    return ['❌', `[\`${project}\`](${run})`, 'its job never reported', '', '', advice]
  }
  const { checkRun, outputs } = result
  const link = `[\`${project}\`](${checkRun === '' ? run : `${run}/job/${checkRun}`})`
  if (outputs === undefined)
    return ['❌', link, 'no usable outputs', '', '', 'Read in its log why the action did not run or was killed.']
  const { outcome = '', 'pr-link': pullRequest = '', 'job-id': jobId = '' } = outputs
  return [
    isGreen(result) ? '✅' : '❌',
    link,
    outcome,
    pullRequest && `<${pullRequest.replaceAll('|', '%7C')}>`,
    jobId && `\`${jobId}\``,
    getNextStep(isGreen(result), outcome, jobId),
  ]
}

/**
 * @param names the projects, in the order of the table
 * @param run the URL of the workflow run
 */
export function createTable(
  names: readonly string[],
  found: ReadonlyMap<string, ProjectResult>,
  run: string,
): StepResult {
  const green = names.filter((project) => isGreen(found.get(project))).length
  const red = names.length - green
  const results = names.map((project) => {
    const outputs = found.get(project)?.outputs
    const shown = Object.entries(outputs ?? {}).filter(([name]) => name !== 'result')
    return { project, outputs: outputs === undefined ? null : Object.fromEntries(shown) }
  })
  const head = ['', 'Project', 'Outcome', 'Pull request', 'Job', 'What to do']
  const rows = [head, head.map(() => '---'), ...names.map((project) => listCells(project, found.get(project), run))]
  const title = `${green} of ${names.length} projects succeeded`
  return {
    isGreen: red === 0,
    title: red === 0 ? title : `${red} of ${names.length} projects failed`,
    text: 'The table in the summary shows all of them.',
    outputs: { results: JSON.stringify(results), green: String(green), red: String(red) },
    summary: `## ${title}\n\n${rows.map((cells) => `| ${cells.join(' | ')} |\n`).join('')}`,
  }
}

export async function writeTable({ runner, env }: Host): Promise<StepResult> {
  const raw = readRawInputs(runner, TABLE_FIELDS)
  const { names, attempt, folder } = parseFields(TABLE_FIELDS, raw, '')
  const { GITHUB_SERVER_URL: server = '', GITHUB_REPOSITORY: repository = '', GITHUB_RUN_ID: runId = '' } = env
  const found = readResults(folder, attempt)
  return Promise.resolve(createTable(names, found, `${server}/${repository}/actions/runs/${runId}`))
}
