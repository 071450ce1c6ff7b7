import { type Document, isMap, parseDocument, type Scalar, type YAMLMap } from 'yaml'
import { renderTable, replaceBetweenMarkers } from './markdown-tables.ts'

interface Entry {
  readonly description: string
  readonly required?: boolean
  readonly default?: string
}

type Part = 'inputs' | 'outputs'

interface Group {
  readonly heading: string
  readonly about: string
  readonly entries: (readonly [name: string, Entry])[]
}

export const PAGES = [
  { document: 'docs/inputs-and-outputs.md', action: 'action.yml', tables: ['anchored-inputs', 'anchored-outputs'] },
  { document: 'docs/visitors.md', action: 'visitors/action.yml', tables: ['inputs', 'outputs'] },
  { document: 'docs/report.md', action: 'report/action.yml', tables: ['inputs', 'outputs'] },
  { document: 'docs/rehearse.md', action: 'emulator/action.yml', tables: ['inputs'] },
] as const

/** A comment before an entry starts a group: a question, and then sentences. */
function readGroups(file: Document, part: Part): readonly Group[] {
  const map = file.get(part)
  if (!isMap(map)) return []
  const groups: Group[] = []
  for (const [index, { key, value }] of map.items.entries()) {
    const name = key as Scalar<string>
    const comment = (index === 0 ? map : name).commentBefore?.replaceAll('\n', '').trim()
    const [, heading = '', about = ''] = /^(.*?\?) (.*)$/.exec(comment ?? '') ?? []
    if (index === 0 || heading !== '') groups.push({ heading, about, entries: [] })
    groups.at(-1)?.entries.push([name.value, (value as YAMLMap).toJSON() as Entry])
  }
  return groups
}

const code = (text: string): string => `\`${text}\``

const inputRow = ({ required, default: otherwise, description }: Entry): string[] => [
  required === true ? '**required**' : otherwise === undefined ? '' : code(otherwise),
  description,
]

/** @param anchor the prefix of the names' anchors, such as `input` for `#input-paths`; without it there are no anchors */
function renderGroups(part: Part, groups: readonly Group[], anchor?: 'input' | 'output'): string {
  const head = part === 'inputs' ? ['Input', 'Default', 'Meaning'] : ['Output', 'Meaning']
  const row = (entry: Entry): string[] => (part === 'inputs' ? inputRow(entry) : [entry.description])
  const show = (name: string): string => `${anchor ? `<a id="${anchor}-${name}"></a>` : ''}${code(name)}`
  return groups
    .map(({ heading, about, entries }) => {
      const table = renderTable([head, ...entries.map(([name, entry]) => [show(name), ...row(entry)])])
      return heading === '' ? table : `### ${heading}\n\n${about}\n\n${table}`
    })
    .join('\n\n')
}

const TABLES: Readonly<Record<(typeof PAGES)[number]['tables'][number], (file: Document) => string>> = {
  inputs: (file) => renderGroups('inputs', readGroups(file, 'inputs')),
  outputs: (file) => renderGroups('outputs', readGroups(file, 'outputs')),
  'anchored-inputs': (file) => renderGroups('inputs', readGroups(file, 'inputs'), 'input'),
  'anchored-outputs': (file) => renderGroups('outputs', readGroups(file, 'outputs'), 'output'),
}

/**
 * @returns the document with the tables of inputs and outputs of an action.yml
 * @throws Error if the document has no markers for a table
 */
export function writeTables(text: string, actionYaml: string, tables: (typeof PAGES)[number]['tables']): string {
  const file = parseDocument(actionYaml)
  return tables.reduce((page, name) => replaceBetweenMarkers(page, name, TABLES[name](file)), text)
}
