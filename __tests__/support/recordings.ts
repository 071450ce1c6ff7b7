import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** One request to the real GitHub with its response, as octokit/fixtures recorded it. */
export interface Recording {
  /** The origin, such as `https://api.github.com:443`. */
  readonly scope: string
  readonly method: string
  readonly path: string
  /** Empty if the request has no body. */
  readonly body: object | string
  readonly reqheaders: Readonly<Record<string, string | number>>
  readonly status: number
  /** Empty if the response has no body. */
  readonly response: unknown
  readonly headers: Readonly<Record<string, string | number>>
}

const FOLDER = join(
  dirname(createRequire(import.meta.url).resolve('@octokit/fixtures/package.json')),
  'scenarios/api.github.com',
)

export const RECORDED_SCENARIOS: readonly string[] = readdirSync(FOLDER).toSorted()

/** The recordings of one scenario. They are read as files, because the package's own code replaces Node's `http`. */
export function readRecordings(scenario: string): readonly Recording[] {
  return JSON.parse(readFileSync(join(FOLDER, scenario, 'normalized-fixture.json'), 'utf8')) as Recording[]
}

/** Fields whose values octokit/fixtures replaced, so that only the types are compared. */
const REPLACED = /^(?:id|node_id|email|.*_at|.*_count|comments|forks|watchers|open_issues|score)$/
/** The names of commits were replaced by numbers. */
const COMMIT = /0{36}\d{4}/g

type Fields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const getType = (value: unknown): string => (value === null ? 'null' : typeof value)

function isSame(name: string, recorded: unknown, here: unknown): boolean {
  if (REPLACED.test(name)) return getType(recorded) === getType(here)
  if (typeof recorded !== 'string' || typeof here !== 'string') return recorded === here
  const commits = recorded.match(COMMIT) ?? []
  return commits.reduce((text, commit) => text.replace(/[0-9a-f]{40}/, commit), here) === recorded
}

const show = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value))

/**
 * Lists how one JSON value differs from a recorded one: in its fields, their types, and their values, unless
 * octokit/fixtures replaced these.
 * @returns lines such as `/user/type: "User" recorded, "Bot" here`
 */
export function compareWithRecorded(recorded: unknown, here: unknown, place = ''): readonly string[] {
  if (Array.isArray(recorded) && Array.isArray(here) && recorded.length === here.length)
    return recorded.flatMap((item, index) => compareWithRecorded(item, here[index], `${place}[]`))
  if (isObject(recorded) && isObject(here)) {
    const names = [...new Set([...Object.keys(recorded), ...Object.keys(here)])]
    return names.flatMap((name) => compareWithRecorded(recorded[name], here[name], `${place}/${name}`))
  }
  const name = place.split('/').at(-1) ?? ''
  return isSame(name, recorded, here) ? [] : [`${place}: ${show(recorded)} recorded, ${show(here)} here`]
}
