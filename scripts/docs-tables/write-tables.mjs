/**
 * Writes the tables of inputs and outputs of each action into its document, from its action.yml, so that the two cannot
 * drift apart. All are files below the current folder.
 *
 *   node scripts/docs-tables/write-tables.mjs           writes them
 *   node scripts/docs-tables/write-tables.mjs --check   changes nothing; exits 1 and shows the lines that differ
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parse } from 'yaml'
import { renderTable, replaceBetweenMarkers } from './markdown-tables.mjs'

/** The documents, each with the action whose tables stand in it. */
const PAIRS = [
  { document: 'README.md', action: 'action.yml' },
  { document: 'docs/visitors.md', action: 'visitors/action.yml' },
  { document: 'docs/rehearse.md', action: 'emulator/action.yml' },
]

/**
 * @typedef {object} Input
 * @property {string} description
 * @property {boolean} [required]
 * @property {string} [default]
 */

/**
 * @typedef {object} Metadata What the tables need of an action.yml.
 * @property {Record<string, Input>} inputs
 * @property {Record<string, { description: string }>} outputs
 */

/** @param {Metadata['inputs']} inputs */
function renderInputs(inputs) {
  const rows = Object.entries(inputs).map(([name, input]) => [
    `\`${name}\``,
    input.required === true ? 'yes' : '',
    input.default === undefined ? '' : `\`${input.default}\``,
    input.description,
  ])
  return renderTable([['Input', 'Required', 'Default', 'Meaning'], ...rows])
}

/** @param {Metadata['outputs']} outputs */
function renderOutputs(outputs) {
  return renderTable([
    ['Output', 'Meaning'],
    ...Object.entries(outputs).map(([name, { description }]) => [`\`${name}\``, description]),
  ])
}

/**
 * @param {string} before
 * @param {string} after
 * @returns The lines that only one of the two has, `-` for those of the first and `+` for those of the second.
 */
function describeDifference(before, after) {
  const [old, fresh] = [before.split('\n'), after.split('\n')]
  return [
    ...old.filter((line) => !fresh.includes(line)).map((line) => `- ${line}`),
    ...fresh.filter((line) => !old.includes(line)).map((line) => `+ ${line}`),
  ].join('\n')
}

/**
 * @param {string} document
 * @param {string} text
 * @param {string} action
 * @returns The document's text with fresh tables.
 */
function withTables(document, text, action) {
  /** @type {unknown} */
  const actionFile = parse(readFileSync(action, 'utf8'))
  const { inputs, outputs } = /** @type {Metadata} */ (actionFile)
  const withInputs = replaceBetweenMarkers(document, text, 'inputs', renderInputs(inputs))
  return replaceBetweenMarkers(document, withInputs, 'outputs', renderOutputs(outputs))
}

const isCheck = process.argv.includes('--check')
for (const { document, action } of PAIRS.filter(({ action }) => existsSync(action))) {
  const text = readFileSync(document, 'utf8')
  const fresh = withTables(document, text, action)
  if (!isCheck) {
    writeFileSync(document, fresh)
  } else if (fresh !== text) {
    console.error(`${document} is not what ${action} says. Run: npm run docs\n\n${describeDifference(text, fresh)}`)
    process.exitCode = 1
  }
}
