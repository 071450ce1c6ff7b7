import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface ActionMetadata {
  /** An input without a default has an empty one. */
  readonly inputs: readonly { readonly name: string; readonly default: string }[]
  readonly runs: Readonly<Partial<Record<'using' | 'main' | 'post', string>>>
}

function unquote(scalar = ''): string {
  const [, single, double] = /^(?:'(.*)'|"(.*)")$/.exec(scalar) ?? []
  return single?.replaceAll("''", "'") ?? double ?? scalar
}

/**
 * Parses the subset of YAML in which this project writes action.yml, so that `npm start` needs no install: names are indented by
 * two spaces, their properties by four, and each default is on one line.
 * @param actionFolder the folder that contains action.yml
 */
export function readMetadata(actionFolder: string): ActionMetadata {
  const yaml = readFileSync(join(actionFolder, 'action.yml'), 'utf8').replaceAll('\r\n', '\n')
  const getSection = (name: string): string => new RegExp(`^${name}:\n((?: .*\n|\n)*)`, 'm').exec(yaml)?.[1] ?? ''
  const inputs = getSection('inputs').matchAll(/^ {2}([\w-]+):\n((?: {4}.*\n)*)/gm)
  const runs = getSection('runs').matchAll(/^ {2}(\w+): (.*)$/gm)
  return {
    inputs: Array.from(inputs, ([, name = '', properties = '']) => {
      return { name, default: unquote(/^ {4}default: (.*)$/m.exec(properties)?.[1]) }
    }),
    runs: Object.fromEntries(Array.from(runs, ([, name = '', value]) => [name, unquote(value)] as const)),
  }
}
