import { parseArgs } from 'node:util'
import type { Environment } from '../../src/runtime/environment.ts'
import { askForNearest } from './nearest.ts'

export const TASK_FLAGS = ['prompt', 'prompt-file', 'job-id'] as const
const NAMED_FLAGS = ['action', 'scenario', 'speed', 'cancel-after', ...TASK_FLAGS] as const
const SWITCHES = ['help', 'list', 'keep', 'check'] as const
const KNOWN: readonly string[] = [...NAMED_FLAGS, 'input', ...SWITCHES]

export interface Flags extends Readonly<Record<(typeof SWITCHES)[number], boolean>> {
  readonly named: Readonly<Partial<Record<(typeof NAMED_FLAGS)[number], string>>>
  /** Each as `name=value`. */
  readonly input: readonly string[]
}

/**
 * `npm start --scenario=failed`, without `--` before the flag, reaches a script as the variable `npm_config_scenario`; and
 * `npm start --scenario failed` as that variable with the value `true`, and `failed` as an argument.
 * @returns what is wrong, as a sentence, if something is
 */
export function readFlags(args: readonly string[], env: Environment): Flags | string {
  const texts = [...NAMED_FLAGS, 'input'].map((name) => [name, { type: 'string', multiple: true }] as const)
  const switches = SWITCHES.map((name) => [name, { type: 'boolean' }] as const)
  const options = {
    ...Object.fromEntries(texts),
    ...Object.fromEntries(switches),
    help: { type: 'boolean', short: 'h' },
  } as const
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true })
  const given: [name: string, value: string][] = []
  const positionals: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const { name, rawName, value, inlineValue } = token
    if (!KNOWN.includes(name)) {
      const nearest = askForNearest(
        `--${name}`,
        KNOWN.map((known) => `--${known}`),
      )
      return `There is no option ${rawName}.${nearest} «npm start -- --help» shows all.`
    }
    const isSwitch = SWITCHES.some((known) => known === name)
    // A flag that follows is no value, unless it is written as --prompt=--text.
    if (!isSwitch && (value === undefined || (!inlineValue && value.startsWith('-'))))
      return `${rawName} needs a value.`
    given.push([name, isSwitch ? 'true' : (value ?? '')])
  }

  const fromNpm = NAMED_FLAGS.flatMap((name) => {
    const value = env[`npm_config_${name.replaceAll('-', '_')}`]
    return value === undefined || value === '' ? [] : [{ name, value }]
  })
  const withoutValue = fromNpm.filter(({ value }) => value === 'true')
  const [positional] = positionals
  if (positionals.length !== withoutValue.length || withoutValue.length > 1) {
    const place = positional === undefined ? 'A flag has no value' : `«${positional}» belongs to no flag`
    return `${place}. Put -- before the flags: npm start -- --scenario failed`
  }
  const isOn = (name: (typeof SWITCHES)[number]): boolean =>
    given.some(([one]) => one === name) || env[`npm_config_${name}`] === 'true'
  return {
    named: Object.fromEntries([
      ...fromNpm.map(({ name, value }) => [name, value === 'true' ? positional : value] as const),
      ...given.filter(([name]) => NAMED_FLAGS.some((known) => known === name)),
    ]),
    input: given.filter(([name]) => name === 'input').map(([, value]) => value),
    help: isOn('help'),
    list: isOn('list'),
    keep: isOn('keep'),
    check: isOn('check'),
  }
}
