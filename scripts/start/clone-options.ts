import { type Flags, HISTORY_FLAGS, INIT_FLAGS } from './flags.ts'
import { showCommand } from './terminal.ts'

/** What a clone does not contain. */
export interface Assumptions {
  /** How long the agent works on a prompt. */
  readonly jobMs: number
  /** The share of prompts, from 0 to 1, that change nothing. */
  readonly nothingShare: number
  /** When somebody merges the agent's pull request, from its opening. Infinity: nobody does. */
  readonly mergedAfterMs: number
}

/** What `--history` and `--init` have in common. */
export interface Replaying {
  readonly clone: string
  readonly days: number
  /** Of one prompt. */
  readonly price: number | undefined
  readonly assumptions: Assumptions
}

/** Replays the last days of a clone through a workflow file. */
export interface HistoryOptions extends Replaying {
  readonly kind: 'history'
  readonly file: string
  readonly vars: Readonly<Record<string, string>>
  readonly format: 'text' | 'json' | 'md'
}

/** Writes a workflow file into a clone. */
export interface Init extends Replaying {
  readonly kind: 'init'
  /** The name of a recipe. Undefined: what the history recommends. */
  readonly recipe: string | undefined
  /** The owner of this action. */
  readonly owner: string | undefined
  /** Whether the files are printed, and not written. */
  readonly isPrinted: boolean
}

export type CloneOptions = HistoryOptions | Init

const DEFAULTS = { days: '30', 'job-minutes': '10', 'no-changes': '0', 'merged-after': '2d' } as const

export const CLONE_HELP = `
Your repository's clone, which is only read:
  --init <clone>         writes .github/workflows/docs.yml and attach.yml for it, and runs them
  --recipe <name>        on-push or on-schedule (default: what the last days recommend)
  --owner <name>         the account that owns this action (default: your-org)
  --print                shows the files, and writes nothing
  --history <clone>      with --workflow: runs the last days of the clone through the file
  --days <number>        how many days, 1 to 366 (default: ${DEFAULTS.days})
  --price <number>       what a prompt costs, to see the sum
  --job-minutes <number> how long the agent works on a prompt (default: ${DEFAULTS['job-minutes']})
  --no-changes <percent> how many prompts change nothing (default: ${DEFAULTS['no-changes']})
  --merged-after <time>  when somebody merges the agent's pull request, such as 12h, 2d or never
                         (default: ${DEFAULTS['merged-after']})
  --json, --md           prints the figures as JSON or as Markdown
`

const MINUTE_MS = 60_000
const UNITS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: 60 * MINUTE_MS, d: 24 * 60 * MINUTE_MS }

function readSpan(text: string): number {
  if (text === 'never') return Infinity
  const [, count, unit = ''] = /^(\d+(?:\.\d+)?)([mhd])$/.exec(text) ?? []
  if (count === undefined) throw new Error(`--merged-after needs a time such as 12h, 2d or never, and got «${text}».`)
  return Number(count) * (UNITS[unit] ?? 0)
}

/** @throws Error unless the text is a number from `min` to `max` */
function readNumber(flag: string, text: string, min: number, max: number): number {
  const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN
  if (number >= min && number <= max) return number
  throw new Error(`--${flag} must be a number from ${min} to ${max}, and is «${text}».`)
}

function readReplaying({ named }: Flags, clone: string): Replaying {
  const get = (name: keyof typeof DEFAULTS): string => named[name] ?? DEFAULTS[name]
  return {
    clone,
    days: readNumber('days', get('days'), 1, 366),
    price: named.price === undefined ? undefined : readNumber('price', named.price, 0, 1_000_000),
    assumptions: {
      jobMs: readNumber('job-minutes', get('job-minutes'), 0, 360) * MINUTE_MS,
      nothingShare: readNumber('no-changes', get('no-changes'), 0, 100) / 100,
      mergedAfterMs: readSpan(get('merged-after')),
    },
  }
}

/** Flags that `--history` and `--init` know. */
const KNOWN: Readonly<Record<CloneOptions['kind'], readonly string[]>> = {
  history: ['history', 'workflow', 'var', 'json', 'md', ...HISTORY_FLAGS],
  init: ['init', 'print', ...HISTORY_FLAGS, ...INIT_FLAGS],
}

/** All flags that only these two know. */
const ONLY_HERE: readonly string[] = ['json', 'md', 'print', ...HISTORY_FLAGS, ...INIT_FLAGS]

/**
 * Reads the options of `--history` and `--init`.
 * @returns undefined if neither is there
 * @throws Error that says which flag is wrong, and what to do
 */
export function readCloneOptions(flags: Flags, vars: Readonly<Record<string, string>>): CloneOptions | undefined {
  const { named, isOn, words } = flags
  const { history, init, workflow } = named
  const given = words.flatMap((word) => (word.startsWith('--') ? word.slice(2) : []))
  if (history !== undefined && init !== undefined)
    throw new Error('--history and --init do not go together. Remove one.')
  const kind = history !== undefined ? 'history' : init !== undefined ? 'init' : undefined
  if (kind === undefined) {
    const lost = given.find((name) => ONLY_HERE.includes(name))
    if (lost === undefined) return undefined
    throw new Error(`--${lost} belongs to --history or --init:${showCommand('--workflow FILE --history CLONE')}`)
  }
  const other = given.find((name) => !KNOWN[kind].includes(name))
  if (other !== undefined) throw new Error(`--${other} does not go with --${kind}. Remove one.`)
  if (init !== undefined)
    return {
      kind: 'init',
      ...readReplaying(flags, init),
      recipe: named.recipe,
      owner: named.owner,
      isPrinted: isOn('print'),
    }
  if (workflow === undefined)
    throw new Error(`--history needs the workflow too:${showCommand('--workflow FILE --history CLONE')}`)
  if (isOn('json') && isOn('md')) throw new Error('--json and --md do not go together. Remove one.')
  const format = isOn('json') ? 'json' : isOn('md') ? 'md' : 'text'
  return { kind: 'history', file: workflow, ...readReplaying(flags, history ?? ''), vars, format }
}
