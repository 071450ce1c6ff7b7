import { includesPath, parsePathRules } from '../../../src/agent/path-filter.ts'
import { isUnsupportedEvent, type UnsupportedEvent } from '../../../src/agent/change/loop.ts'
import type { Filter, Trigger } from './workflow-file.ts'

export const EVENTS = ['push', 'schedule', 'workflow_dispatch', 'release', 'issue_comment'] as const

/** Of an unsupported event, the error of the step is shown. */
export type EventName = (typeof EVENTS)[number] | UnsupportedEvent

export const isEventName = (name: string): name is EventName =>
  EVENTS.some((event) => event === name) || isUnsupportedEvent(name)

/** What an event is about. */
export interface Ref {
  readonly kind: 'branch' | 'tag'
  readonly name: string
}

/** Whether GitHub would start the workflow, and for which ref. */
export type Decision =
  | { readonly starts: true; readonly ref: Ref }
  | {
      readonly starts: false
      readonly reason: string
      /** Whether a change of other files may start it. */
      readonly dependsOnFiles: boolean
      /** Such a file. */
      readonly example?: string
    }

const MAX_NAMED_FILES = 10

/** Names files in a sentence. */
export function nameFiles(files: readonly string[]): string {
  const others = files.length - MAX_NAMED_FILES
  return files.slice(0, MAX_NAMED_FILES).join(', ') + (others > 0 ? ` and ${others} more` : '')
}

/** @throws Error for a pattern that GitHub does not know */
function matches({ patterns, line }: Filter, name: string): boolean {
  try {
    return includesPath(parsePathRules(patterns.join('\n')), name)
  } catch (error) {
    throw new Error(`The filter in line ${line}: ${(error as Error).message}.`)
  }
}

/** Whether filters of the form `branches` and `branches-ignore` accept a name. @throws Error for an invalid pattern */
export function accepts(only: Filter | undefined, ignored: Filter | undefined, name: string): boolean {
  if (only !== undefined) return matches(only, name)
  return ignored === undefined || !matches(ignored, name)
}

/** A text that a pattern probably matches. Empty for one that excludes. */
function fillIn(pattern: string, filling: string): string {
  return pattern
    .replace(/^!.*/, '')
    .replace(/\[([^\]])[^\]]*\]/g, '$1')
    .replace(/\*+/g, filling)
    .replace(/[?+]/g, '')
}

/** The path of a file that patterns include. Undefined if none is found. */
export function findExamplePath(filter: Filter, ending: '.md' | '.ts'): string | undefined {
  return filter.patterns
    .map((pattern) => fillIn(pattern, 'demo'))
    .flatMap((path) => (/\.\w+$/.test(path) ? [path] : [`${path}${ending}`, path]))
    .find((path) => path !== '' && matches(filter, path))
}

/** The filters for each kind of ref. */
const REF_FILTERS = { branch: ['branches', 'branches-ignore'], tag: ['tags', 'tags-ignore'] } as const

const getRefFilters = ({ filters }: Trigger, kind: Ref['kind']): readonly (Filter | undefined)[] =>
  REF_FILTERS[kind].map((name) => filters[name])

function acceptsRef(trigger: Trigger, { kind, name }: Ref): boolean {
  const [only, ignored] = getRefFilters(trigger, kind)
  if ((only ?? ignored) !== undefined) return accepts(only, ignored, name)
  // With filters for tags alone, branches start nothing, and the other way round.
  return getRefFilters(trigger, kind === 'branch' ? 'tag' : 'branch').every((filter) => filter === undefined)
}

/** What a command chooses of an event, and what its repository is like. */
export interface Occasion {
  /** Counts the events of the command from 1. */
  readonly ordinal: number
  readonly defaultBranch: string
  readonly ref?: string
}

const toRefs = (kind: Ref['kind'], names: readonly string[]): readonly Ref[] =>
  names.filter((name) => name !== '').map((name) => ({ kind, name }))

/** What a name can mean, the likely kind first. */
function readRef(ref: string): readonly Ref[] {
  const [, folder, full = ''] = /^refs\/(heads|tags)\/(.+)$/.exec(ref) ?? []
  if (folder !== undefined) return [{ kind: folder === 'tags' ? 'tag' : 'branch', name: full }]
  const isVersion = /^[^/]*\d\.\d[^/]*$/.test(ref)
  const refs: readonly Ref[] = [
    { kind: 'branch', name: ref },
    { kind: 'tag', name: ref },
  ]
  return isVersion ? refs.toReversed() : refs
}

/** The usual names, and such as the filters look for. */
function listUsualRefs(trigger: Trigger, { ordinal, defaultBranch }: Occasion): readonly Ref[] {
  const version = `1.${ordinal + 1}.0`
  const fill = (name: 'branches' | 'tags', filling: string): readonly string[] =>
    trigger.filters[name]?.patterns.map((pattern) => fillIn(pattern, filling)) ?? []
  const branches = [defaultBranch, 'main', 'master', ...fill('branches', 'demo'), 'develop', 'demo', 'feature/demo']
  return [...toRefs('branch', branches), ...toRefs('tag', [`v${version}`, version, ...fill('tags', version)])]
}

/** @throws Error for a ref that the event does not have */
function chooseRef(trigger: Trigger, occasion: Occasion): Ref | string {
  const { event, filters } = trigger
  const { ref, defaultBranch, ordinal } = occasion
  if (event === 'release') return { kind: 'tag', name: ref?.replace(/^refs\/tags\//, '') ?? `v1.${ordinal + 1}.0` }
  const usual: Ref = { kind: 'branch', name: defaultBranch }
  if (event === 'workflow_dispatch') return (ref === undefined ? undefined : readRef(ref)[0]) ?? usual
  if (event !== 'push') {
    if (ref === undefined) return usual
    throw new Error(`--ref is for push, workflow_dispatch and release. ${event} runs on the default branch.`)
  }
  const found = (ref === undefined ? listUsualRefs(trigger, occasion) : readRef(ref)).find((one) =>
    acceptsRef(trigger, one),
  )
  if (found !== undefined) return found
  const filter = Object.values(REF_FILTERS)
    .flat()
    .flatMap((name) => filters[name] ?? [])[0]
  const line = `the filter in line ${filter?.line ?? trigger.line}`
  return ref === undefined ? `no branch and no tag was found that ${line} accepts` : `${line} does not accept ${ref}`
}

function describeTriggers(triggers: readonly Trigger[]): string {
  return triggers
    .map(({ event, line }) => `${event} (line ${line}${isEventName(event) ? '' : ', cannot be run here'})`)
    .join(', ')
}

/** A trigger whose event can be run. */
export type RunnableTrigger = Trigger & { readonly event: EventName }

const isRunnable = (trigger: Trigger): trigger is RunnableTrigger => isEventName(trigger.event)

/**
 * Finds the triggers of events. Without events, the first that can be run.
 * @throws Error that names the triggers there are
 */
export function chooseTriggers(triggers: readonly Trigger[], events: readonly EventName[]): readonly RunnableTrigger[] {
  const runnable = triggers.filter(isRunnable)
  const missing = events.find((event) => runnable.every((trigger) => trigger.event !== event))
  const has = `It has: ${describeTriggers(triggers)}.`
  if (missing !== undefined) throw new Error(`This file has no trigger \`${missing}\`. ${has}`)
  if (runnable.length > 0)
    return events.length === 0
      ? runnable.slice(0, 1)
      : events.flatMap((event) => runnable.find((trigger) => trigger.event === event) ?? [])
  throw new Error(
    `No trigger of this file can be run here. ${has} These can be run: ${EVENTS.join(', ')}. To rehearse another one on the runner, see docs/rehearse.md.`,
  )
}

/**
 * Finds the cron of a schedule, by default the first one.
 * @throws Error for one that the file does not have
 */
export function chooseCron({ event, filters }: Trigger, chosen: string | undefined): string {
  const crons = filters['cron']?.patterns ?? []
  if (chosen === undefined) return crons[0] ?? ''
  if (crons.includes(chosen)) return chosen
  const has = event === 'schedule' ? `It has: ${crons.join(', ')}.` : `The event is ${event}.`
  throw new Error(`\`on.schedule\` has no cron «${chosen}». ${has}`)
}

/** Why path filters keep a push from starting the workflow. */
function findPathMismatch(
  { filters }: Trigger,
  files: readonly string[],
): { reason: string; example?: string } | undefined {
  const { paths, 'paths-ignore': ignored } = filters
  const [name, filter] = paths === undefined ? ['paths-ignore', ignored] : ['paths', paths]
  if (filter === undefined || files.some((file) => accepts(paths, ignored, file))) return undefined
  const what = name === 'paths' ? 'matches none' : 'matches all'
  const reason = `\`on.push.${name}\` (line ${filter.line}) ${what} of the changed files: ${nameFiles(files)}`
  const example = paths === undefined ? undefined : findExamplePath(paths, '.ts')
  return { reason, ...(example !== undefined && { example }) }
}

/**
 * Decides by GitHub's rules whether an event starts a workflow.
 * @param files the changed files
 * @throws Error for a ref that the event does not have
 */
export function decide(trigger: Trigger, files: readonly string[], occasion: Occasion): Decision {
  const { event, filters } = trigger
  const { types } = filters
  if (event === 'issue_comment' && types?.patterns.includes('created') === false)
    return {
      starts: false,
      dependsOnFiles: false,
      reason: `\`types\` (line ${types.line}) leaves out created comments`,
    }
  const ref = chooseRef(trigger, occasion)
  if (typeof ref === 'string') return { starts: false, dependsOnFiles: false, reason: ref }
  const mismatch = event === 'push' && ref.kind === 'branch' ? findPathMismatch(trigger, files) : undefined
  return mismatch === undefined ? { starts: true, ref } : { starts: false, dependsOnFiles: true, ...mismatch }
}
