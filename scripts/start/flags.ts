import { parseArgs } from 'node:util'
import type { Environment } from '../../src/runtime/environment.ts'
import { askForNearest } from './nearest.ts'

export const TASK_FLAGS = ['prompt', 'prompt-file', 'job-id'] as const
const NAMED_FLAGS = ['action', 'scenario', 'speed', 'cancel-after', ...TASK_FLAGS] as const

export interface Flags {
  readonly named: Readonly<Partial<Record<(typeof NAMED_FLAGS)[number], string>>>
  /** Each as `name=value`. */
  readonly input: readonly string[]
  readonly help: boolean
  readonly list: boolean
  readonly keep: boolean
  readonly check: boolean
}

/**
 * `npm start --scenario=failed`, without `--` before the flag, reaches a script as the variable `npm_config_scenario`; and
 * `npm start --scenario failed` as that variable with the value `true`, and `failed` as an argument.
 * @returns what is wrong, as a sentence, if something is
 */
export function readFlags(args: readonly string[], env: Environment): Flags | string {
  const text = { type: 'string' } as const
  const options = {
    ...{ action: text, scenario: text, speed: text, 'cancel-after': text },
    ...{ prompt: text, 'prompt-file': text, 'job-id': text },
    list: { type: 'boolean' },
    keep: { type: 'boolean' },
    check: { type: 'boolean' },
    input: { type: 'string', multiple: true },
    help: { type: 'boolean', short: 'h' },
  } as const
  const { values, tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true })
  const positionals: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const { name, rawName, value, inlineValue } = token
    if (!Object.hasOwn(options, name)) {
      const flag = askForNearest(
        `--${name}`,
        Object.keys(options).map((known) => `--${known}`),
      )
      return `There is no option ${rawName}.${flag} «npm start -- --help» shows all.`
    }
    if (options[name as keyof typeof options].type === 'boolean') continue
    // A flag that follows is no value, unless it is written as --prompt=--text.
    if (value === undefined || (!inlineValue && value.startsWith('-'))) return `${rawName} needs a value.`
  }

  const fromNpm = NAMED_FLAGS.flatMap((name) => {
    const value = env[`npm_config_${name.replaceAll('-', '_')}`]
    return value === undefined || value === '' ? [] : [{ name, value }]
  })
  const withoutValue = fromNpm.filter(({ value }) => value === 'true')
  if (positionals.length !== withoutValue.length || withoutValue.length > 1) {
    const [first] = positionals
    const place = first === undefined ? 'A flag has no value' : `«${first}» belongs to no flag`
    return `${place}. Put -- before the flags: npm start -- --scenario failed`
  }
  const [positional] = positionals
  const given = NAMED_FLAGS.flatMap((name) =>
    values[name] === undefined ? [] : [[name, String(values[name])] as const],
  )
  return {
    named: Object.fromEntries([
      ...fromNpm.map(({ name, value }) => [name, value === 'true' ? positional : value] as const),
      ...given,
    ]),
    input: (values.input ?? []).map(String),
    help: values.help === true,
    check: values.check === true || env['npm_config_check'] === 'true',
    keep: values.keep === true || env['npm_config_keep'] === 'true',
    list: values.list === true || env['npm_config_list'] === 'true',
  }
}
