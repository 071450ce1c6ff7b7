import { parseArgs } from 'node:util'
import { askForNearest } from './nearest.ts'
import { showCommand } from './terminal.ts'

export const TASK_FLAGS = ['prompt', 'prompt-file', 'job-id'] as const
/** Flags of `--history`. */
export const HISTORY_FLAGS = ['days', 'price', 'job-minutes', 'no-changes', 'merged-after'] as const
/** Flags of `--init`. */
export const INIT_FLAGS = ['recipe', 'owner'] as const
const NAMED_FLAGS = [
  ...(['action', 'workflow', 'scenario', 'speed', 'cancel-after', 'init', 'history'] as const),
  ...TASK_FLAGS,
  ...HISTORY_FLAGS,
  ...INIT_FLAGS,
] as const
/** Flags that can be repeated. */
const LISTS = ['input', 'event', 'changed', 'ref', 'schedule', 'comment', 'var', 'output'] as const
const SWITCHES = [
  'help',
  'list',
  'keep',
  'check',
  'dry-run',
  'all',
  'real',
  'on-pull-request',
  'first-run',
  'json',
  'md',
  'print',
] as const
const KNOWN: readonly string[] = [...NAMED_FLAGS, ...LISTS, ...SWITCHES]

const isNamed = (name: string): boolean => NAMED_FLAGS.some((known) => known === name)
const isList = (name: string): boolean => LISTS.some((known) => known === name)
const isSwitch = (name: string): boolean => SWITCHES.some((known) => known === name)

export interface Flags {
  readonly named: Readonly<Partial<Record<(typeof NAMED_FLAGS)[number], string>>>
  readonly listed: Readonly<Record<(typeof LISTS)[number], readonly string[]>>
  /** All flags of the command line, in order. */
  readonly given: readonly (readonly [name: string, value: string])[]
  readonly isOn: (name: (typeof SWITCHES)[number]) => boolean
  /** All flags as words of a command. */
  readonly words: readonly string[]
}

/**
 * Also reads flags without the separating `--`: npm passes `npm start --scenario=failed` as the variable
 * `npm_config_scenario`, and `npm start --scenario failed` as that variable with the value `true` and the argument `failed`.
 * @throws Error for invalid flags
 */
export function readFlags(args: readonly string[], env: NodeJS.ProcessEnv): Flags {
  const options = Object.fromEntries(
    KNOWN.map((name) => [name, { type: isSwitch(name) ? ('boolean' as const) : ('string' as const) }]),
  )
  const { tokens } = parseArgs({
    args: [...args],
    options: { ...options, help: { type: 'boolean', short: 'h' } },
    strict: false,
    tokens: true,
  })
  const given: [name: string, value: string][] = []
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const { name, rawName, value, inlineValue } = token
    if (!KNOWN.includes(name)) {
      const flags = KNOWN.map((known) => `--${known}`)
      const nearest = askForNearest(`--${name}`, flags)
      throw new Error(`There is no option ${rawName}.${nearest} This shows all:${showCommand('--help')}`)
    }
    // The next flag is not a value. A value that begins with a dash needs the form --prompt=--text.
    if (!isSwitch(name) && (value === undefined || (!inlineValue && value.startsWith('-'))))
      throw new Error(`${rawName} needs a value.`)
    if (isNamed(name) && given.some(([one]) => one === name)) throw new Error(`${rawName} is there twice. Remove one.`)
    given.push([name, value ?? 'true'])
  }

  const fromEnv = (name: string): string | undefined => env[`npm_config_${name.replaceAll('-', '_')}`]
  const positionals = tokens.flatMap((token) => (token.kind === 'positional' ? token.value : []))
  const fromNpm = NAMED_FLAGS.map((name) => [name, fromEnv(name)] as const)
  const withoutValue = fromNpm.filter(([, value]) => value === 'true')
  const [positional] = positionals
  if (positionals.length !== withoutValue.length || withoutValue.length > 1) {
    const place = positional === undefined ? 'A flag has no value' : `«${positional}» belongs to no flag`
    // npm's script for PowerShell loses the `--` (npm/cli#3136).
    throw new Error(`${place}. Put -- before the flags, or '--' in PowerShell:${showCommand('--scenario failed')}`)
  }
  const named = Object.fromEntries([
    ...fromNpm.filter(([, value]) => value).map(([name, value]) => [name, value === 'true' ? positional : value]),
    ...given.filter(([name]) => isNamed(name)),
  ]) as Flags['named']
  const list = (name: string): string[] => given.filter(([one]) => one === name).map(([, value]) => value)
  const isOn: Flags['isOn'] = (name) => given.some(([one]) => one === name) || fromEnv(name) === 'true'
  const listed = Object.fromEntries(LISTS.map((name) => [name, list(name)])) as Record<(typeof LISTS)[number], string[]>
  return {
    named,
    listed,
    isOn,
    given,
    words: [
      ...Object.entries(named).flatMap(([name, value]) => [`--${name}`, value]),
      ...given.filter(([name]) => isList(name)).flatMap(([name, value]) => [`--${name}`, value]),
      ...SWITCHES.filter(isOn).map((name) => `--${name}`),
    ],
  }
}
