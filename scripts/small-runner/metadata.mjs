import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * @typedef {object} ActionInput
 * @property {string} name
 * @property {boolean} required
 * @property {string} default empty where there is none
 *
 * @typedef {object} ActionMetadata
 * @property {ActionInput[]} inputs
 * @property {string[]} outputs their names
 * @property {{ using: string, main: string, pre?: string, post?: string }} runs
 */

const KEY_LINE = /^( *)([A-Za-z0-9_-]+):(?: +(.*))?$/
/** Characters that start something else than plain text in YAML. */
const NOT_PLAIN = /^[[\]{}&*!|>%@`"'#,?]/
const BLOCK_TEXT = /^[|>][+-]?$/

/**
 * A reader for the part of YAML that action.yml files are written in here, so that nothing has to be installed: nested
 * keys, plain and quoted text on one line. Texts that go over several lines (descriptions) are skipped. All else throws.
 *
 * @param {string} yaml the text of an action.yml
 * @returns {ActionMetadata}
 * @throws {Error} naming the line that it cannot read
 */
export function parseMetadata(yaml) {
  /** @type {Map<string, string>} values by the path of their keys, joined with `/` */
  const values = new Map()
  /** @type {{ indent: number, key: string }[]} */
  let parents = []
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

/**
 * @param {string} text
 * @param {number} index of the line, from 0
 * @returns {string}
 */
function readScalar(text, index) {
  const single = /^'((?:[^']|'')*)'$/.exec(text.trim())?.[1]
  if (single !== undefined) return single.replaceAll("''", "'")
  if (/^"[^"\\]*"$/.test(text.trim())) return text.trim().slice(1, -1)
  if (NOT_PLAIN.test(text) || / #|: |:$/.test(text)) {
    throw new Error(`action.yml, line ${index + 1}: cannot read the value «${text}»; quote it`)
  }
  return text.trim()
}

/**
 * @param {Map<string, string>} values
 * @returns {ActionMetadata}
 */
function toMetadata(values) {
  const pick = (/** @type {string} */ path) => values.get(path) ?? ''
  const namesUnder = (/** @type {string} */ section) =>
    [...values.keys()].filter((path) => path.startsWith(`${section}/`)).flatMap((path) => path.split('/')[1] ?? [])
  if (pick('runs/main') === '') throw new Error('action.yml: runs.main is missing')

  const inputs = [...new Set(namesUnder('inputs'))].map((name) => {
    const defaultText = pick(`inputs/${name}/default`)
    if (BLOCK_TEXT.test(defaultText)) throw new Error(`action.yml: the default of ${name} must be on one line`)
    return { name, required: pick(`inputs/${name}/required`) === 'true', default: defaultText }
  })
  return {
    inputs,
    outputs: [...new Set(namesUnder('outputs'))],
    runs: {
      using: pick('runs/using'),
      main: pick('runs/main'),
      ...(values.has('runs/pre') && { pre: pick('runs/pre') }),
      ...(values.has('runs/post') && { post: pick('runs/post') }),
    },
  }
}

/**
 * @param {string} actionFolder the folder that holds action.yml
 * @returns {ActionMetadata}
 */
export function readMetadata(actionFolder) {
  return parseMetadata(readFileSync(join(actionFolder, 'action.yml'), 'utf8'))
}
