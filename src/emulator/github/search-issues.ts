import { type IssueState, isMentioned } from './issue-state.ts'
import { type PullState, listRequestedReviewers } from './pull-state.ts'
import { findIgnoringCase } from './reply.ts'
import type { GitHubState } from './state.ts'

/** An indexed issue or pull request. */
export interface IndexedIssue {
  readonly repositoryName: string
  readonly number: number
  /** A copy from the last update of the index. */
  readonly issue: IssueState
}

type Test = (found: IndexedIssue) => boolean

/** The search index of each state. It lags behind changes. */
const indexes = new WeakMap<GitHubState, Map<string, IndexedIssue>>()

function refreshIndex(state: GitHubState, nowMs: number): readonly IndexedIssue[] {
  const index = indexes.get(state) ?? new Map<string, IndexedIssue>()
  indexes.set(state, index)
  const lagMs = state.lag.searchMs ?? 0
  // A repository can have two names.
  const repositories = Object.entries(state.repositories).filter(
    ([, repository], position, all) => all.findIndex(([, other]) => other === repository) === position,
  )
  for (const [repositoryName, { issues, pulls }] of repositories) {
    for (const [number, issue] of [...Object.entries(issues), ...Object.entries(pulls)]) {
      const key = `${repositoryName}#${number}`
      const { createdAtMs, updatedAtMs } = issue
      const isFresh = nowMs >= updatedAtMs + lagMs || (!index.has(key) && nowMs >= createdAtMs + lagMs)
      const copy = {
        ...issue,
        labels: [...issue.labels],
        assignees: [...issue.assignees],
        comments: [...issue.comments],
      }
      if (isFresh) index.set(key, { repositoryName, number: Number(number), issue: copy })
    }
  }
  return [...index.values()]
}

const equalsIgnoringCase = (one: string | undefined, other: string): boolean =>
  one?.toLowerCase() === other.toLowerCase()
const isPull = ({ issue }: IndexedIssue): boolean => 'branch' in issue
const isMerged = ({ issue }: IndexedIssue): boolean => 'merge' in issue && issue.merge !== undefined
const isDraft = ({ issue }: IndexedIssue): boolean => 'draft' in issue && issue.draft === true
const createFieldTest =
  (name: 'branch' | 'base') =>
  (value: string): Test =>
  ({ issue }) =>
    name in issue && (issue as unknown as Record<string, string>)[name] === value

const IS: Readonly<Record<string, Test>> = {
  pr: isPull,
  'pull-request': isPull,
  issue: (found) => !isPull(found),
  open: ({ issue }) => issue.state === 'open',
  closed: ({ issue }) => issue.state === 'closed',
  merged: isMerged,
  unmerged: (found) => isPull(found) && !isMerged(found),
  draft: isDraft,
  locked: ({ issue }) => issue.locked,
  unlocked: ({ issue }) => !issue.locked,
  public: () => true,
}

/** A date without a time covers the complete day. */
function createTimeTest(value: string, read: (issue: IssueState) => number): Test | undefined {
  const [, operator, from = '', to] = /^(>=|<=|>|<)?(\*|[\dT:Z+-]+)(?:\.\.(\*|[\dT:Z+-]+))?$/.exec(value) ?? []
  const toStartMs = (text: string): number => (text === '*' ? -Infinity : Date.parse(text))
  const toEndMs = (text: string): number =>
    text === '*' ? Infinity : Date.parse(text) + (/^\d{4}-\d\d-\d\d$/.test(text) ? 86_399_999 : 0)
  if (from === '' || Number.isNaN(toStartMs(from))) return undefined
  const bounds = {
    '>=': [toStartMs(from), Infinity],
    '>': [toEndMs(from) + 1, Infinity],
    '<=': [-Infinity, toEndMs(from)],
    '<': [-Infinity, toStartMs(from) - 1],
    '': [toStartMs(from), toEndMs(to ?? from)],
  }[operator ?? '']
  const [minMs = 0, maxMs = 0] = bounds ?? []
  return ({ issue }) => read(issue) >= minMs && read(issue) <= maxMs
}

const QUALIFIERS: Readonly<Record<string, (value: string) => Test | undefined>> = {
  is: (value) => IS[value],
  type: (value) => (value === 'pr' || value === 'issue' ? IS[value] : undefined),
  state: (value) => (value === 'open' || value === 'closed' ? IS[value] : undefined),
  draft: (value) => (found) => isDraft(found) === (value === 'true'),
  archived: (value) => () => value === 'false',
  repo: (value) => (found) => equalsIgnoringCase(found.repositoryName, value),
  user: (value) => (found) => equalsIgnoringCase(found.repositoryName.split('/')[0], value),
  org: (value) => (found) => equalsIgnoringCase(found.repositoryName.split('/')[0], value),
  author: (value) => (found) =>
    [value, `${value.replace(/^app\//, '')}[bot]`].some((login) => equalsIgnoringCase(found.issue.user, login)),
  assignee: (value) => (found) => findIgnoringCase(found.issue.assignees, value) !== undefined,
  'review-requested': (value) => (found) =>
    'reviewEvents' in found.issue &&
    findIgnoringCase(listRequestedReviewers(found.issue as PullState), value) !== undefined,
  mentions: (value) => (found) => isMentioned(found.issue, value),
  label: (value) => (found) =>
    value.split(',').some((name) => findIgnoringCase(found.issue.labels, name.replaceAll('"', '')) !== undefined),
  no: (value) =>
    value === 'label' || value === 'assignee' ? ({ issue }) => issue[`${value}s`].length === 0 : undefined,
  base: createFieldTest('base'),
  head: createFieldTest('branch'),
  created: (value) => createTimeTest(value, ({ createdAtMs }) => createdAtMs),
  updated: (value) => createTimeTest(value, ({ updatedAtMs }) => updatedAtMs),
  closed: (value) => createTimeTest(value, ({ closedAtMs }) => closedAtMs ?? NaN),
}

const PLACES: Readonly<Record<string, (issue: IssueState) => readonly string[]>> = {
  title: ({ title }) => [title],
  body: ({ body }) => [body],
  comments: ({ comments }) => comments.map(({ body }) => body),
}

const TOKEN = /(-?)([\w-]+):((?:"[^"]*"|[^\s"])+)|(-?)("[^"]*"|\S+)/g
const unquote = (text: string): string => text.replaceAll('"', '')

export interface SearchQuery {
  readonly test: Test
  /** The repositories that `repo:` names. */
  readonly repositories: readonly string[]
  readonly sort: readonly [key: string, order: string] | undefined
}

/** Parses a search query, or returns its unsupported part. */
export function parseSearch(text: string): SearchQuery | { readonly unsupported: string } {
  const tests: Test[] = []
  const words: [isWanted: boolean, word: string][] = []
  const repositories: string[] = []
  let places = Object.keys(PLACES)
  let sort: SearchQuery['sort']
  for (const [token, not, name, value = '', notWord, word = ''] of text.matchAll(TOKEN)) {
    if (name === undefined) words.push([notWord !== '-', unquote(word).toLowerCase()])
    else if (name === 'in') places = unquote(value).split(',')
    else if (name === 'sort') sort = [value.replace(/-(?:asc|desc)$/, ''), value.endsWith('-asc') ? 'asc' : 'desc']
    else {
      const test = QUALIFIERS[name]?.(unquote(value))
      if (test === undefined) return { unsupported: token }
      if (name === 'repo' && not === '') repositories.push(unquote(value))
      tests.push(not === '-' ? (found) => !test(found) : test)
    }
  }
  const unknown = places.find((place) => PLACES[place] === undefined)
  if (unknown !== undefined) return { unsupported: `in:${unknown}` }
  const contains = (issue: IssueState, word: string): boolean =>
    places.some((place) => PLACES[place]?.(issue).some((text) => text.toLowerCase().includes(word)))
  return {
    repositories,
    sort,
    test: (found) =>
      tests.every((test) => test(found)) && words.every(([isWanted, word]) => contains(found.issue, word) === isWanted),
  }
}

const KEYS: Readonly<Record<string, (issue: IssueState) => number>> = {
  created: ({ createdAtMs }) => createdAtMs,
  updated: ({ updatedAtMs }) => updatedAtMs,
  comments: ({ comments }) => comments.length,
}
export const isSortKey = (key: string): boolean => key in KEYS

/** Searches the index. Default order: newest first. */
export function searchIssues(state: GitHubState, { test, sort }: SearchQuery, nowMs: number): readonly IndexedIssue[] {
  const [name = 'created', order = 'desc'] = sort ?? []
  const key = KEYS[name] ?? (() => 0)
  const sign = order === 'asc' ? 1 : -1
  return refreshIndex(state, nowMs)
    .filter(test)
    .toSorted((a, b) => sign * (key(a.issue) - key(b.issue) || a.number - b.number))
}
