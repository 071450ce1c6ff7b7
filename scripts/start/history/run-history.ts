import { readFileSync, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { includesPath, parsePathRules } from '../../../src/agent/path-filter.ts'
import { readMetadata } from '../../small-runner/metadata.ts'
import type { HistoryOptions, Replaying } from '../clone-options.ts'
import { choosePaint } from '../terminal.ts'
import { writeTo, type Terminal } from '../session.ts'
import { readWorkflow, type Trigger, type Workflow } from '../workflow/workflow-file.ts'
import { type Clone, openClone, readNewestTimeMs, readPushes } from './clone.ts'
import { count, type Figures, measureLargest } from './figures.ts'
import { openReplay, type Replay, type Replayed } from './replay.ts'
import { showMarkdown, showText } from './show-figures.ts'

const DAY_MS = 86_400_000
/** A clone whose newest commit is older is not up to date, or its project rests. */
const MAX_AGE_MS = 7 * DAY_MS

/** The schedule of the README's workflow. */
const NIGHTLY = '23 3 * * 1-5'

/** A line of a file that a pattern is in, and whether a file of the repository matches it. */
export interface UnusedPattern {
  readonly pattern: string
  readonly place: string
}

/** Everything that is shown. */
export interface Shown extends Pick<Prepared, 'replay' | 'isOld' | 'cancels'> {
  readonly options: Replaying
  readonly figures: Figures
  readonly event: string
  readonly replayed: Replayed
  readonly largest: Awaited<ReturnType<typeof measureLargest>>
  readonly unused: readonly UnusedPattern[]
}

/** A workflow with the history that is run through it. */
export interface Prepared {
  readonly replay: Replay
  /** Whether the days end with the newest commit, and not today. */
  readonly isOld: boolean
  /** Whether a run cancels the one before. */
  readonly cancels: boolean
}

/** The `paths` of the first step that has them. */
function findPathsInput({ jobs }: Workflow): readonly string[] {
  const text = jobs.flatMap(({ steps }) => steps).find((step) => step.with['paths'] !== undefined)?.with['paths']?.text
  return text?.includes('${{') === false
    ? text
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean)
    : []
}

/** The triggers to compare with: a schedule at night instead of pushes, or pushes instead of a schedule. */
function createOtherTrigger(workflow: Workflow, branch: string): Trigger & { readonly event: 'push' | 'schedule' } {
  const push = workflow.triggers.find(({ event }) => event === 'push')
  const line = workflow.triggers[0]?.line ?? 1
  if (push !== undefined) return { event: 'schedule', line, filters: { cron: { patterns: [NIGHTLY], line } } }
  const patterns = findPathsInput(workflow)
  const paths = patterns.length === 0 ? {} : { paths: { patterns, line } }
  return { event: 'push', line, filters: { branches: { patterns: [branch], line }, ...paths } }
}

/** Patterns that include files, but match none of the repository: mostly a typing error. */
function findUnusedPatterns({ triggers, jobs }: Workflow, files: readonly string[]): readonly UnusedPattern[] {
  const ofTriggers = triggers.flatMap(({ event, filters }) => {
    const { paths } = filters
    return paths === undefined
      ? []
      : paths.patterns.map((pattern) => ({ pattern, place: `on.${event}.paths (line ${paths.line})` }))
  })
  const ofSteps = jobs.flatMap(({ steps }) =>
    steps.flatMap((step) =>
      (step.with['paths']?.text ?? '').split('\n').map((pattern) => ({
        pattern: pattern.trim(),
        place: `the input paths (line ${step.with['paths']?.line ?? 1})`,
      })),
    ),
  )
  return [...ofTriggers, ...ofSteps].filter(({ pattern }) => {
    if (pattern === '' || pattern.startsWith('!') || pattern.includes('${{')) return false
    try {
      const rules = parsePathRules(pattern)
      return !files.some((file) => includesPath(rules, file))
    } catch {
      // The replay reports an invalid pattern.
      return false
    }
  })
}

/** Reads the pushes of the last days. If the newest commit is old, of the days before it. */
function readHistory(
  clone: Clone,
  days: number,
): Pick<Replay, 'history' | 'sinceMs' | 'untilMs'> & Pick<Prepared, 'isOld'> {
  const [newestMs, nowMs] = [readNewestTimeMs(clone), Date.now()]
  const isOld = nowMs - newestMs > MAX_AGE_MS
  const untilMs = isOld ? newestMs : nowMs
  const sinceMs = untilMs - days * DAY_MS
  const pushes = readPushes(clone, sinceMs, untilMs)
  const head = clone.git('rev-parse', clone.ref)?.trim() ?? ''
  return { history: { clone, pushes, base: pushes[0]?.before ?? head }, sinceMs, untilMs, isOld }
}

/**
 * Reads a workflow and the history of a clone.
 * @param project the folder of this project
 * @throws Error that says what to do
 */
export async function prepareReplay(
  file: { readonly name: string; readonly content: string },
  clone: Clone,
  { days, assumptions }: Replaying,
  project: string,
  vars: Readonly<Record<string, string>> = {},
): Promise<Prepared> {
  const workflow = await readWorkflow(file.name, file.content)
  const groups = [workflow.concurrency, ...workflow.jobs.map((job) => job.concurrency)]
  const concurrency = groups.find((one) => one !== undefined)
  const { isOld, ...span } = readHistory(clone, days)
  const defaults = Object.fromEntries(readMetadata(project).inputs.map(({ name, default: value }) => [name, value]))
  return {
    replay: { workflow, concurrency, fileName: file.name, project, defaults, vars, assumptions, ...span },
    isOld,
    cancels: concurrency?.cancels === true,
  }
}

/** Whether the history of a clone has the events of a trigger. */
export const isReplayable = ({ event }: Pick<Trigger, 'event'>): boolean => event === 'push' || event === 'schedule'

/** Runs a workflow, and the same with the other trigger. */
export async function countBoth(
  { workflow, history, ...others }: Replay,
  { days, price }: Replaying,
): Promise<Pick<Shown, 'figures' | 'event' | 'replayed'>> {
  const triggers = workflow.triggers.filter(isReplayable)
  if (triggers.length === 0)
    throw new Error(
      `A clone's history has pushes and times of schedules, and ${others.fileName} has no such trigger. It has: ${workflow.triggers.map(({ event }) => event).join(', ')}.`,
    )
  const run = openReplay({ workflow, history, ...others })
  const replayed = await run(triggers)
  const other = createOtherTrigger(workflow, history.clone.branch)
  const alternative = { event: other.event, ...count(await run([other]), price) }
  return {
    figures: { days, pushes: history.pushes.length, ...count(replayed, price), alternative },
    event: [...new Set(triggers.map(({ event }) => event))].join(' and '),
    replayed,
  }
}

/** Adds what only a screen shows. */
export async function complete(
  prepared: Prepared,
  counted: Awaited<ReturnType<typeof countBoth>>,
  options: Replaying,
): Promise<Shown> {
  const { workflow, history } = prepared.replay
  return {
    ...prepared,
    ...counted,
    options,
    largest: await measureLargest(counted.replayed),
    unused: findUnusedPatterns(workflow, history.clone.listFiles()),
  }
}

/**
 * Replays the last days of a clone's history through a workflow file.
 * @param project the folder of this project
 * @returns the exit code
 */
export async function runHistory(options: HistoryOptions, project: string, terminal: Terminal): Promise<number> {
  const from = terminal.env['INIT_CWD'] ?? process.cwd()
  const file = resolve(from, options.file)
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) throw new Error(`There is no file ${file}.`)
  const workflow = { name: basename(file), content: readFileSync(file, 'utf8') }
  const clone = openClone(resolve(from, options.clone))
  const prepared = await prepareReplay(workflow, clone, options, project, options.vars)
  const counted = await countBoth(prepared.replay, options)
  // Not wrapped, because programs and web pages read it.
  if (options.format === 'json') terminal.stdout.write(`${JSON.stringify(counted.figures, undefined, 2)}\n`)
  else {
    const shown = await complete(prepared, counted, options)
    if (options.format === 'md') terminal.stdout.write(showMarkdown(shown))
    else writeTo(terminal.stdout, showText(shown, choosePaint(terminal.stdout, terminal.env)))
  }
  return 0
}
