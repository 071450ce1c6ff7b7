import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface ActionInput {
  readonly name: string
  readonly required: boolean
  /** Empty if there is none. */
  readonly default: string
}

export interface ActionMetadata {
  readonly inputs: readonly ActionInput[]
  /** Their names. */
  readonly outputs: readonly string[]
  readonly runs: { readonly using: string; readonly main: string; readonly pre?: string; readonly post?: string }
}

const KEY_LINE = /^( *)([A-Za-z0-9_-]+):(?: +(.*))?$/
/** Characters that start something else than plain text in YAML. */
const NOT_PLAIN = /^[[\]{}&*!|>%@`"'#,?]/
const BLOCK_TEXT = /^[|>][+-]?$/

function readScalar(text: string, index: number): string {
  const single = /^'((?:[^']|'')*)'$/.exec(text.trim())?.[1]
  if (single !== undefined) return single.replaceAll("''", "'")
  if (/^"[^"\\]*"$/.test(text.trim())) return text.trim().slice(1, -1)
  if (NOT_PLAIN.test(text) || / #|: |:$/.test(text)) {
    throw new Error(`action.yml, line ${index + 1}: cannot read the value «${text}»; quote it`)
  }
  return text.trim()
}

/** @param values by the path of their keys, joined with `/` */
function toMetadata(values: ReadonlyMap<string, string>): ActionMetadata {
  const pick = (path: string): string => values.get(path) ?? ''
  const namesUnder = (section: string): string[] => [
    ...new Set(
      [...values.keys()].filter((path) => path.startsWith(`${section}/`)).flatMap((path) => path.split('/')[1] ?? []),
    ),
  ]
  if (pick('runs/main') === '') throw new Error('action.yml: runs.main is missing')

  const inputs = namesUnder('inputs').map((name) => {
    const defaultText = pick(`inputs/${name}/default`)
    if (BLOCK_TEXT.test(defaultText)) throw new Error(`action.yml: the default of ${name} must be on one line`)
    return { name, required: pick(`inputs/${name}/required`) === 'true', default: defaultText }
  })
  return {
    inputs,
    outputs: namesUnder('outputs'),
    runs: {
      using: pick('runs/using'),
      main: pick('runs/main'),
      ...(values.has('runs/pre') && { pre: pick('runs/pre') }),
      ...(values.has('runs/post') && { post: pick('runs/post') }),
    },
  }
}

/**
 * A reader for the part of YAML that action.yml files are written in here, so that nothing has to be installed: nested
 * keys, plain and quoted text on one line. Texts that go over several lines (descriptions) are skipped.
 * @throws Error that names the line, for all else
 */
export function parseMetadata(yaml: string): ActionMetadata {
  const values = new Map<string, string>()
  let parents: { indent: number; key: string }[] = []
  let blockIndent = Infinity

  for (const [index, line] of yaml.split(/\r?\n/).entries()) {
    const indent = line.length - line.trimStart().length
    if (line.trim() === '' || indent > blockIndent) continue
    blockIndent = Infinity
    if (line.trimStart().startsWith('#')) continue
    const [, , key, value = ''] = KEY_LINE.exec(line) ?? []
    if (key === undefined) throw new Error(`action.yml, line ${index + 1}: cannot read «${line.trim()}»`)
    parents = [...parents.filter((parent) => parent.indent < indent), { indent, key }]
    if (BLOCK_TEXT.test(value)) blockIndent = indent
    values.set(parents.map((parent) => parent.key).join('/'), BLOCK_TEXT.test(value) ? value : readScalar(value, index))
  }
  return toMetadata(values)
}

/** @param actionFolder the folder that holds action.yml */
export function readMetadata(actionFolder: string): ActionMetadata {
  return parseMetadata(readFileSync(join(actionFolder, 'action.yml'), 'utf8'))
}
