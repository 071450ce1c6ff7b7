/** The projects of a fleet: parses the input `projects`, and creates the row of each project for the matrix. */
import { type RawInputs, REPOSITORY_PATTERN } from '../action/inputs.ts'
import { ID_PATTERN } from '../runtime/url.ts'
import { formatCount } from '../text/format.ts'
import { quoteName, quoteNames } from '../text/markdown.ts'

const OVERRIDES = ['prompt', 'pr-repository', 'label', 'allowed-paths', 'reviewers']
/** These may be arrays of strings. */
const LISTS = ['allowed-paths', 'reviewers']

export interface Project {
  readonly project: string
  readonly overrides: Readonly<Record<string, string>>
}

interface ParsedProjects {
  /** Those whose identifiers are valid. */
  readonly projects: readonly Project[]
  /** Each continues a sentence that begins with `projects`. */
  readonly problems: readonly string[]
}

const isText = (value: unknown): value is string => typeof value === 'string'

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parseArray(text: string): readonly unknown[] | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    return Array.isArray(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

/** @returns the text of an override, or the rule that its value breaks */
function parseOverride(key: string, value: unknown): { readonly text: string } | { readonly rule: string } {
  if (!OVERRIDES.includes(key)) return { rule: 'cannot be overridden' }
  const isList = LISTS.includes(key) && Array.isArray(value) && value.every(isText)
  if (!isText(value) && !isList) return { rule: 'must be a string' }
  const text = isText(value) ? value : value.join('\n')
  if (key === 'prompt' && text.trim() === '') return { rule: 'must not be blank' }
  if (key === 'pr-repository' && !REPOSITORY_PATTERN.test(text))
    return { rule: 'must be a repository such as `owner/name`' }
  return { text }
}

/** GitHub's limit for the jobs of a matrix. */
const MAX_PROJECTS = 256

/** Parses as much as is valid, so that all problems are found at once. */
export function parseProjects(text: string): ParsedProjects {
  const given = parseArray(text)
  if (given === undefined) {
    const example = '["docs-api", {"project": "docs-sdk", "label": "docs-sdk"}]'
    return { projects: [], problems: [`must be a JSON array, such as \`${example}\``] }
  }
  const problems: string[] = []
  if (given.length < 1 || given.length > MAX_PROJECTS)
    problems.push(
      `must contain 1 to ${MAX_PROJECTS} projects, because a matrix has at most ${MAX_PROJECTS} jobs, not ${given.length}; call the workflow again for the others`,
    )
  const entries = given
    .map((entry) => (isText(entry) ? { project: entry } : entry))
    .filter(
      (entry): entry is { readonly project: string } =>
        isObject(entry) && isText(entry['project']) && ID_PATTERN.test(entry['project']),
    )
  const invalid = given.length - entries.length
  if (invalid > 0)
    problems.push(
      `has ${formatCount(invalid, 'item')} without a valid identifier of 1 to 128 letters, digits, \`_\` or \`-\``,
    )
  const names = entries.map(({ project }) => project)
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) < index))
  if (repeated.size > 0) problems.push(`names ${quoteNames([...repeated])} more than once`)

  const projects = entries.map(({ project, ...given }) => {
    const overrides: Record<string, string> = {}
    for (const [key, value] of Object.entries(given)) {
      const parsed = parseOverride(key, value)
      if ('rule' in parsed) problems.push(`has ${quoteName(project)}, whose ${quoteName(key)} ${parsed.rule}`)
      else overrides[key] = parsed.text
    }
    return { project, overrides }
  })
  return { projects, problems }
}

/** A project in the matrix. An input that is not set has no key. */
export interface Row {
  readonly project: string
  readonly label?: string
  readonly 'allowed-paths'?: string
  readonly reviewers?: string
  readonly prompt?: string
  readonly 'pr-repository'?: string
  /** The owner and the name of the repository that an app's token is for. */
  readonly owner: string
  readonly repository: string
}

/** @param raw the inputs of the fleet, which apply to the projects that do not override them */
export function createRows(projects: readonly Project[], raw: RawInputs): readonly Row[] {
  return projects.map(({ project, overrides }) => {
    const inputs = {
      label: raw['label'],
      'allowed-paths': raw['allowed-paths'],
      reviewers: raw['reviewers'],
      ...overrides,
    }
    const given = Object.entries(inputs).filter(([, value]) => value !== undefined && value !== '')
    const [owner = '', repository = ''] = (overrides['pr-repository'] ?? raw['repository'] ?? '').split('/')
    return { project, ...(Object.fromEntries(given) as Partial<Row>), owner, repository }
  })
}

/**
 * The label identifies the open pull request of a project, so two projects with one label in one repository would send their
 * prompts to the same one. GitHub ignores case in both names.
 * @returns the projects that share a label and a repository, as problems of `projects`
 */
export function findSharedPullRequests(rows: readonly Row[]): readonly string[] {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const key = `${row.owner}/${row.repository}/${row.label ?? ''}`.toLowerCase()
    groups.set(key, [...(groups.get(key) ?? []), row])
  }
  return [...groups.values()].flatMap((shared) => {
    const [first, ...others] = shared
    if (first === undefined || others.length === 0) return []
    const names = quoteNames(shared.map(({ project }) => project))
    const repository = quoteName(`${first.owner}/${first.repository}`)
    return `has ${names} with one \`label\` in ${repository}, which would share one open pull request; give each project its own \`label\``
  })
}
