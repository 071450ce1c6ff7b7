/**
 * Writes the tables of inputs and outputs of each action into its document, from its action.yml, so that the two cannot
 * drift apart. All are files below the current folder.
 *
 *   node scripts/docs-tables/write-tables.mjs           writes them
 *   node scripts/docs-tables/write-tables.mjs --check   changes nothing; exits 1 and shows the lines that differ
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { isMap, parseDocument } from 'yaml'
import { renderTable, replaceBetweenMarkers } from './markdown-tables.mjs'

/** @typedef {'inputs' | 'outputs' | 'anchored-inputs' | 'anchored-outputs' | 'input-groups' | 'first-outputs'} Table */

/** @type {readonly Table[]} */
const WHOLE = ['inputs', 'outputs']

/** The documents, each with the action whose tables stand in it. */
const PAGES = [
  { document: 'README.md', action: 'action.yml', tables: /** @type {const} */ (['input-groups', 'first-outputs']) },
  {
    document: 'docs/inputs-and-outputs.md',
    action: 'action.yml',
    tables: /** @type {const} */ (['anchored-inputs', 'anchored-outputs']),
  },
  { document: 'docs/visitors.md', action: 'visitors/action.yml', tables: WHOLE },
  { document: 'docs/rehearse.md', action: 'emulator/action.yml', tables: WHOLE },
]

/**
 * @typedef {object} Entry An input or an output.
 * @property {string} description
 * @property {boolean} [required]
 * @property {string} [default]
 */

/** @typedef {{ readonly heading: string, readonly about: string, readonly entries: readonly (readonly [name: string, Entry])[] }} Group */

/**
 * What stands together is told by a comment before the first of them: a heading, and then a sentence.
 * @param {import('yaml').Document} file
 * @param {'inputs' | 'outputs'} part
 * @returns {readonly Group[]}
 */
function readGroups(file, part) {
  const map = file.get(part)
  if (!isMap(map)) return []
  /** @type {{ heading: string, about: string, entries: [string, Entry][] }[]} */
  const groups = []
  for (const [index, { key, value }] of map.items.entries()) {
    const name = /** @type {import('yaml').Scalar<string>} */ (key)
    const comment = (index === 0 ? map : name).commentBefore?.replaceAll('\n', '').trim()
    const [, heading = '', about = ''] = /^(.*?)\. (.*)$/.exec(comment ?? '') ?? []
    if (index === 0 || heading !== '') groups.push({ heading, about, entries: [] })
    const entry = /** @type {Entry} */ (/** @type {import('yaml').YAMLMap} */ (value).toJSON())
    groups.at(-1)?.entries.push([name.value, entry])
  }
  return groups
}

const code = (/** @type {string} */ text) => `\`${text}\``

/** @type {Readonly<Record<'inputs' | 'outputs', { head: readonly string[], row: (entry: Entry) => string[] }>>} */
const COLUMNS = {
  inputs: {
    head: ['Input', 'Required', 'Default', 'Meaning'],
    row: ({ required, default: otherwise, description }) => {
      return [required === true ? 'yes' : '', otherwise === undefined ? '' : code(otherwise), description]
    },
  },
  outputs: { head: ['Output', 'Meaning'], row: ({ description }) => [description] },
}

/** @param {'input' | 'output'} kind its names get an anchor each, such as `#input-paths` */
const anchored = (kind) => (/** @type {string} */ name) => `<a id="${kind}-${name}"></a>${code(name)}`

/**
 * @param {'inputs' | 'outputs'} part
 * @param {readonly Group[]} groups
 * @param {(name: string) => string} [showName]
 */
const renderGroups = (part, groups, showName = code) =>
  groups
    .map(
      ({ heading, about, entries }) =>
        (heading === '' ? '' : `### ${heading}\n\n${about}\n\n`) +
        renderTable([
          COLUMNS[part].head,
          ...entries.map(([name, entry]) => [showName(name), ...COLUMNS[part].row(entry)]),
        ]),
    )
    .join('\n\n')

/** @type {Readonly<Record<Table, (file: import('yaml').Document) => string>>} */
const TABLES = {
  inputs: (file) => renderGroups('inputs', readGroups(file, 'inputs')),
  outputs: (file) => renderGroups('outputs', readGroups(file, 'outputs')),
  'anchored-inputs': (file) => renderGroups('inputs', readGroups(file, 'inputs'), anchored('input')),
  'anchored-outputs': (file) => renderGroups('outputs', readGroups(file, 'outputs'), anchored('output')),
  'input-groups': (file) =>
    renderTable([
      ['', 'Inputs', ''],
      ...readGroups(file, 'inputs').map(({ heading, about, entries }) => [
        `**${heading}**`,
        entries.map(([name]) => `[${code(name)}](docs/inputs-and-outputs.md#input-${name})`).join(', '),
        about,
      ]),
    ]),
  'first-outputs': (file) =>
    renderGroups(
      'outputs',
      readGroups(file, 'outputs')
        .slice(0, 1)
        .map((group) => ({ ...group, heading: '' })),
    ),
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

const isCheck = process.argv.includes('--check')
for (const { document, action, tables } of PAGES.filter(({ action }) => existsSync(action))) {
  const text = readFileSync(document, 'utf8')
  const file = parseDocument(readFileSync(action, 'utf8'))
  const fresh = tables.reduce((page, name) => replaceBetweenMarkers(document, page, name, TABLES[name](file)), text)
  if (!isCheck) {
    writeFileSync(document, fresh)
  } else if (fresh !== text) {
    console.error(`${document} is not what ${action} says. Run: npm run docs\n\n${describeDifference(text, fresh)}`)
    process.exitCode = 1
  }
}
