import { includesPath, parsePathRules } from '../../../src/agent/path-filter.ts'
import { isUnsupportedEvent, type UnsupportedEvent } from '../../../src/agent/change/loop.ts'
import type { Filter, Trigger } from './workflow-file.ts'

export const EVENTS = ['push', 'schedule', 'workflow_dispatch', 'release', 'issue_comment'] as const

/** Of an unsupported event, the error of the step is played. */
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

/** Whether filters of the form `branches` and `branches-ignore` accept a name. */
function accepts(only: Filter | undefined, ignored: Filter | undefined, name: string): boolean {
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

/** @param ordinal counts the events of the command from 1 */
function chooseRef({ event, filters }: Trigger, ordinal: number): Ref | string {
  const version = `1.${ordinal + 1}.0`
  if (event === 'release') return { kind: 'tag', name: `v${version}` }
  if (event !== 'push') return { kind: 'branch', name: 'main' }
  const [branches, tags] = [filters['branches'], filters['tags']]
  const [noBranches, noTags] = [filters['branches-ignore'], filters['tags-ignore']]
  const isTag = (tags ?? noTags) !== undefined && (branches ?? noBranches) === undefined
  const examples = (isTag ? tags : branches)?.patterns.map((pattern) => fillIn(pattern, isTag ? version : 'demo')) ?? []
  const names = isTag ? [`v${version}`, version, ...examples] : ['main', 'master', ...examples]
  const only = isTag ? tags : branches
  const name = names.find((one) => one !== '' && accepts(only, isTag ? noTags : noBranches, one))
  if (name !== undefined) return { kind: isTag ? 'tag' : 'branch', name }
  return `no ${isTag ? 'tag' : 'branch'} was found that the filter in line ${only?.line ?? 1} accepts`
}

function describeTriggers(triggers: readonly Trigger[]): string {
  return triggers
    .map(({ event, line }) => `${event} (line ${line}${isEventName(event) ? '' : ', cannot be played here'})`)
    .join(', ')
}

/** A trigger whose event can be played. */
export type PlayableTrigger = Trigger & { readonly event: EventName }

const isPlayable = (trigger: Trigger): trigger is PlayableTrigger => isEventName(trigger.event)

/**
 * Finds the triggers of events. Without events, the first that can be played.
 * @throws Error that names the triggers there are
 */
export function chooseTriggers(triggers: readonly Trigger[], events: readonly EventName[]): readonly PlayableTrigger[] {
  const playable = triggers.filter(isPlayable)
  const missing = events.find((event) => playable.every((trigger) => trigger.event !== event))
  const has = `It has: ${describeTriggers(triggers)}.`
  if (missing !== undefined) throw new Error(`This file has no trigger \`${missing}\`. ${has}`)
  if (playable.length > 0)
    return events.length === 0
      ? playable.slice(0, 1)
      : events.flatMap((event) => playable.find((trigger) => trigger.event === event) ?? [])
  throw new Error(
    `No trigger of this file can be played here. ${has} These can be played: ${EVENTS.join(', ')}. To rehearse another one on the runner, see docs/rehearse.md.`,
  )
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
 * @param ordinal counts the events of the command from 1
 */
export function decide(trigger: Trigger, files: readonly string[], ordinal: number): Decision {
  const { event, filters } = trigger
  const { types } = filters
  if (event === 'issue_comment' && types?.patterns.includes('created') === false)
    return {
      starts: false,
      dependsOnFiles: false,
      reason: `\`types\` (line ${types.line}) leaves out created comments`,
    }
  const ref = chooseRef(trigger, ordinal)
  if (typeof ref === 'string') return { starts: false, dependsOnFiles: false, reason: ref }
  const mismatch = event === 'push' && ref.kind === 'branch' ? findPathMismatch(trigger, files) : undefined
  return mismatch === undefined ? { starts: true, ref } : { starts: false, dependsOnFiles: true, ...mismatch }
}
