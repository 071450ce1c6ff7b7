import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface ActionMetadata {
  /** A default is empty if there is none. */
  readonly inputs: readonly { readonly name: string; readonly default: string }[]
  readonly runs: Readonly<Partial<Record<'using' | 'main' | 'post', string>>>
}

function plain(scalar = ''): string {
  const [, single, double] = /^(?:'(.*)'|"(.*)")$/.exec(scalar) ?? []
  return single?.replaceAll("''", "'") ?? double ?? scalar
}

/**
 * Reads an action.yml as all of this project are written, so that nothing has to be installed: two blanks before a name, four
 * before what is said of it, and each default on one line.
 * @param actionFolder the folder that holds action.yml
 */
export function readMetadata(actionFolder: string): ActionMetadata {
  const yaml = readFileSync(join(actionFolder, 'action.yml'), 'utf8').replaceAll('\r\n', '\n')
  const sectionOf = (name: string): string => new RegExp(`^${name}:\n((?: .*\n|\n)*)`, 'm').exec(yaml)?.[1] ?? ''
  const inputs = sectionOf('inputs').matchAll(/^ {2}([\w-]+):\n((?: {4}.*\n)*)/gm)
  const runs = sectionOf('runs').matchAll(/^ {2}(\w+): (.*)$/gm)
  return {
    inputs: Array.from(inputs, ([, name = '', said = '']) => {
      return { name, default: plain(/^ {4}default: (.*)$/m.exec(said)?.[1]) }
    }),
    runs: Object.fromEntries(Array.from(runs, ([, name = '', value]) => [name, plain(value)] as const)),
  }
}
