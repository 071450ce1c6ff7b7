import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import {
  buildSchema,
  getNamedType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  isUnionType,
} from 'graphql'
import { DEFAULT_START_MS as START } from '../../../src/emulator/embedded-service.ts'
import { MAINTAINER } from '../../../src/emulator/github/demo-state.ts'
import { SCHEMA } from '../../../src/emulator/github/graphql-schema.ts'
import { createIssueState } from '../../../src/emulator/github/issue-state.ts'
import type { PullState } from '../../../src/emulator/github/pull-state.ts'
import { openPull, pushCommit } from '../../../src/emulator/github/repository-changes.ts'
import { type RepositoryState, createRepositoryState } from '../../../src/emulator/github/repository-state.ts'
import { checkRun } from '../../support/github-state.ts'
import { root } from '../../support/markdown-files.ts'
import { driveGitHub, type DriveOptions, type Json } from './drive-github.ts'

const PUBLISHED = `${root}node_modules/@octokit/graphql-schema/schema.graphql`
const HOUR_MS = 3_600_000

const PULL = `
  query PullRequestByNumber($number: Int!) {
    repository(owner: "acme", name: "docs") { pullRequest(number: $number) {
      id number title state isDraft mergeable mergeStateStatus reviewDecision headRefOid url
      labels(first: 100) { nodes { id name } totalCount }
      comments(first: 1) { nodes { id body author { login } url } pageInfo { hasNextPage endCursor } }
      autoMergeRequest { mergeMethod enabledBy { login } }
      statusCheckRollup { state contexts(first: 100) { nodes {
        ... on CheckRun { name status conclusion isRequired(pullRequestNumber: $number) }
        ... on StatusContext { context state }
      } } }
    } }
  }`

function createRepositoryWithPull(
  fields: Partial<RepositoryState> = {},
  pull: Partial<PullState> = {},
): RepositoryState {
  const docs = createRepositoryState({ labels: ['question'], collaborators: { [MAINTAINER]: 'maintain' }, ...fields })
  const file = (filename: string) => [{ filename, status: 'added', patch: '@@ -0,0 +1 @@\n+A line' } as const]
  pushCommit(docs, 'main', { message: 'Begin', author: MAINTAINER, files: file('docs/index.md') }, START)
  pushCommit(docs, 'guide', { message: 'Guide', author: MAINTAINER, files: file('docs/guide.md') }, START)
  openPull(docs, 7, { branch: 'guide', title: 'Guide', user: MAINTAINER, ...pull }, START - HOUR_MS)
  return docs
}

function drive(fields?: Partial<RepositoryState>, pull?: Partial<PullState>, options: DriveOptions = {}) {
  const driver = driveGitHub({ docs: createRepositoryWithPull(fields, pull), ...options })
  const query = (text: string, variables: object = {}): { readonly status: number; readonly body: Json } =>
    driver.request('POST', '/api/graphql', { query: text, variables })
  const readPull = (): Json => query(PULL, { number: 7 }).body.data.repository.pullRequest
  /** Performs a mutation and returns its first error. */
  const mutate = (name: string, input: object, selection = 'clientMutationId'): Json => {
    const type = `${name[0]?.toUpperCase()}${name.slice(1)}Input!`
    const { body } = query(`mutation($input: ${type}) { ${name}(input: $input) { ${selection} } }`, { input })
    return body.errors?.[0]
  }
  return { ...driver, query, readPull, mutate }
}

const requireChecks = (...requiredChecks: readonly string[]): Partial<RepositoryState> => ({
  protections: { main: { requiredChecks, requiredApprovals: 0, isStrict: false } },
})

/** Lists the fields and arguments of a type. Empty for a type without fields. */
function describeType(type: GraphQLNamedType): readonly string[] {
  if (isEnumType(type)) return type.getValues().map(({ name }) => name)
  if (isUnionType(type)) return type.getTypes().map(({ name }) => name)
  if (isInputObjectType(type))
    return Object.values(type.getFields()).map(({ name, type: fieldType }) => `${name}: ${String(fieldType)}`)
  if (!isObjectType(type) && !isInterfaceType(type)) return []
  const interfaces = type.getInterfaces().map(({ name }) => `implements ${name}`)
  return Object.values(type.getFields()).reduce<readonly string[]>(
    (lines, { name, args, type: fieldType }) => [
      ...lines,
      `${name}: ${String(fieldType)}`,
      ...args.map((argument) => `${name}(${argument.name}: ${String(argument.type)})`),
    ],
    interfaces,
  )
}

/** Creates a selection of all fields of a type and of their types, up to a depth. */
function selectAll(type: GraphQLNamedType, depth: number): string {
  if (isUnionType(type))
    return `{ __typename ${type
      .getTypes()
      .map((member) => `... on ${member.name} ${selectAll(member, depth)}`)
      .join(' ')} }`
  if (!isObjectType(type) && !isInterfaceType(type)) return ''
  const fields = Object.values(type.getFields()).flatMap(({ name, args, type: fieldType }) => {
    const inner: GraphQLOutputType & GraphQLNamedType = getNamedType(fieldType)
    if (args.some((argument) => String(argument.type).endsWith('!'))) return []
    if (!isLeafType(inner) && depth === 0) return []
    const bound = args.some((argument) => argument.name === 'first') ? '(first: 2)' : ''
    return [`${name}${bound} ${selectAll(inner, depth - 1)}`]
  })
  return `{ __typename ${fields.join(' ')} }`
}

describe('the schema', () => {
  const schema = buildSchema(SCHEMA)

  test('is a subset of GitHub’s published schema', () => {
    const published = buildSchema(readFileSync(PUBLISHED, 'utf8'), { assumeValid: true })
    const added = Object.values(schema.getTypeMap())
      .filter(({ name }) => !name.startsWith('__'))
      .flatMap((type) => {
        const known = published.getType(type.name)
        const lines = known === undefined ? [] : describeType(known)
        if (known === undefined) return [`type ${type.name}`]
        return describeType(type).flatMap((line) => (lines.includes(line) ? [] : [`${type.name}.${line}`]))
      })
    expect(added).toEqual([])
  })

  test('has a resolver for every field', () => {
    const { query, request, docs } = drive(requireChecks('build'))
    const { number } = request('POST', '/issues', { title: 'A page is missing', labels: ['question'] }).body
    request('POST', '/pulls/7/reviews', { event: 'COMMENT', body: 'Fine' })
    request('POST', '/issues/7/comments', { body: 'Hello' })
    const headSha = docs.pulls[7]?.headSha ?? ''
    docs.checkRuns.push(checkRun({ name: 'build', headSha, createdAtMs: START, completedAtMs: START }))
    const all = (name: string, depth = 3): string => selectAll(schema.getType(name) as GraphQLObjectType, depth)
    const { status, body } = query(`{
      viewer ${all('User')}
      repository(owner: "acme", name: "docs") { ${all('Repository', 2).slice(1, -1)}
        pullRequest(number: 7) ${all('PullRequest')}
        issue(number: ${number}) ${all('Issue')}
      }
    }`)
    expect([status, body.errors]).toEqual([200, undefined])
    expect(body.data.repository.pullRequest.commits.nodes[0].commit.oid).toBe(headSha)
    expect(body.data.repository.issue.labels.nodes[0].name).toBe('question')
  })

  test('can be introspected, as gh does for servers of an unknown version', () => {
    const { query } = drive()
    const { data } = query('{ __type(name: "PullRequest") { fields(includeDeprecated: true) { name } } }').body
    expect(data.__type.fields).toContainEqual({ name: 'autoMergeRequest' })
  })
})

describe('a query', () => {
  test('returns a pull request as REST does', () => {
    const { read, readPull, docs } = drive(requireChecks('build'), { labels: ['question'] })
    const headSha = docs.pulls[7]?.headSha ?? ''
    docs.checkRuns.push(checkRun({ name: 'build', headSha, createdAtMs: START, completedAtMs: Infinity }))
    const { mergeable_state, html_url, title } = read('/pulls/7')
    expect(readPull()).toMatchObject({
      title,
      url: html_url,
      state: 'OPEN',
      headRefOid: headSha,
      mergeable: 'MERGEABLE',
      mergeStateStatus: mergeable_state.toUpperCase(),
      labels: { nodes: [{ name: 'question' }], totalCount: 1 },
      statusCheckRollup: {
        state: 'PENDING',
        contexts: { nodes: [{ name: 'build', status: 'IN_PROGRESS', conclusion: null, isRequired: true }] },
      },
    })
  })

  test('pages through a list with the end cursor of the previous page', () => {
    const { query, docs } = drive()
    for (const number of [8, 9, 10]) openPull(docs, number, { branch: `b${number}`, user: MAINTAINER }, START)
    const list = (paging: string): Json =>
      query(`{ repository(owner: "acme", name: "docs") {
        pullRequests(${paging}) { totalCount nodes { number } pageInfo { hasNextPage endCursor } } } }`).body
    const numbers: number[] = []
    for (let after = '', isMore = true; isMore;) {
      const { nodes, pageInfo, totalCount } = list(`first: 3, after: "${after}"`).data.repository.pullRequests
      expect(totalCount).toBe(4)
      numbers.push(...nodes.map(({ number }: Json) => number))
      ;[after, isMore] = [pageInfo.endCursor, pageInfo.hasNextPage]
    }
    expect(numbers).toEqual([7, 8, 9, 10])
    expect(list('states: [OPEN]').errors[0].type).toBe('MISSING_PAGINATION_BOUNDARIES')
    expect(list('first: 101').errors[0].type).toBe('EXCESSIVE_PAGINATION')
    expect(list('first: 1, after: "x"').errors[0].type).toBe('INVALID_CURSOR_ARGUMENTS')
  })

  test.each([
    ['', [8, 9, 10]],
    ['states: [OPEN]', [8, 10]],
    ['labels: ["question"]', [8, 9]],
    ['filterBy: { states: [CLOSED], labels: ["Question"] }', [9]],
    ['filterBy: { assignee: "mona" }', [10]],
    ['filterBy: { assignee: "*" }', [9, 10]],
    ['filterBy: { createdBy: "dora" }', [9]],
    ['filterBy: { mentioned: "Mona" }', [8]],
    ['filterBy: { since: "2026-01-01T01:00:00Z" }', [10]],
    ['filterBy: { assignee: null, createdBy: null, mentioned: null }', [8, 9, 10]],
    ['orderBy: { field: COMMENTS, direction: DESC }', [8, 10, 9]],
  ])('lists issues with %s as %j', (filter, numbers) => {
    const { query, docs } = drive()
    const comment = { id: 1, user: 'dora', body: 'What do you think, @mona?', createdAtMs: START, reactions: [] }
    Object.assign(docs.issues, {
      8: createIssueState({ labels: ['question'], comments: [comment], body: 'Write to me@mona.example.' }),
      9: createIssueState({
        labels: ['question'],
        state: 'closed',
        user: 'dora',
        assignees: ['dora'],
        body: '@monalisa',
      }),
      10: createIssueState({ assignees: ['mona'], updatedAtMs: START + HOUR_MS, body: 'x@mona' }),
    })
    const { data } = query(`{ repository(owner: "acme", name: "docs") { issues(first: 9 ${filter}) {
      totalCount nodes { number } edges { cursor node { number } } } } }`).body
    const { nodes, edges, totalCount } = data.repository.issues
    expect([totalCount, nodes.map((one: Json) => one.number)]).toEqual([numbers.length, numbers])
    expect(edges.map(({ node }: Json) => node)).toEqual(nodes)
  })

  test('returns the page after the cursor of an edge', () => {
    const { query, docs } = drive()
    docs.labels.push('bug', 'wording')
    const list = (after: string): Json =>
      query(`{ repository(owner: "acme", name: "docs") { labels(first: 2, after: "${after}", query: "") {
        edges { cursor node { name } } pageInfo { endCursor } } } }`).body.data.repository.labels
    const { edges, pageInfo } = list('')
    expect(edges[1].cursor).toBe(pageInfo.endCursor)
    expect(list(edges[0].cursor).edges.map(({ node }: Json) => node.name)).toEqual(['bug', 'wording'])
  })

  test('gets null and an error for an object that does not exist', () => {
    const { query } = drive()
    const { status, body } = query(PULL, { number: 99 })
    expect([status, body.data.repository.pullRequest, body.errors[0].type]).toEqual([200, null, 'NOT_FOUND'])
    expect(body.errors[0].message).toBe('Could not resolve to a PullRequest with the number of 99.')
  })

  test('is refused if the token lacks the permission', () => {
    const { query, service } = drive()
    service.github.state.permissions = { contents: 'read' }
    const { data, errors } = query(PULL, { number: 7 }).body
    expect([data.repository.pullRequest, errors[0].type]).toEqual([null, 'FORBIDDEN'])
  })

  test.each([
    ['query Who { viewer { email } }', "query Who: Field 'email' doesn't exist on type 'User'"],
    ['{ viewer { login(a: 1) } }', "query without a name: Field 'login' doesn't accept argument 'a'"],
    ['mutation M { addStar(input: {}) { clientMutationId } }', "query M: Field 'addStar' doesn't exist"],
    ['query S { search(query: "x", type: USER, first: 1) { issueCount } }', 'query S: a search of the type USER'],
  ])('gets a 501 if it is not supported: %s', (text, reason) => {
    const { status, body } = drive({}, {}, { allowsUndocumented: true }).query(text)
    expect(status).toBe(501)
    expect(body.message).toContain(`The embedded GitHub does not play the GraphQL ${reason}`)
  })

  test('may select fields of the same name in types that define them differently', () => {
    const { query } = drive()
    const { data } = query(`{ repository(owner: "acme", name: "docs") {
      issueOrPullRequest(number: 7) { ... on Issue { state } ... on PullRequest { state } } } }`).body
    expect(data.repository.issueOrPullRequest).toEqual({ state: 'OPEN' })
  })
})

describe('a mutation', () => {
  test('merges only the expected head', () => {
    const { readPull, mutate, docs } = drive()
    const { id: pullRequestId, headRefOid } = readPull()
    const merge = (expectedHeadOid: string): Json =>
      mutate('mergePullRequest', { pullRequestId, expectedHeadOid, mergeMethod: 'SQUASH' })
    expect(merge('0'.repeat(40)).type).toBe('UNPROCESSABLE')
    expect(docs.pulls[7]?.merge).toBeUndefined()
    expect(merge(headRefOid)).toBeUndefined()
    expect(readPull()).toMatchObject({ state: 'MERGED' })
    expect(docs.commits.find(({ sha }) => sha === docs.branches['main'])?.message).toContain('Guide (#7)')
  })

  test.each([
    ['a draft', {}, { draft: true }, 'Pull Request is still a draft'],
    ['a conflict', {}, { conflict: true }, 'Pull Request is not mergeable'],
    ['a required check', requireChecks('build'), {}, 'Required status check "build" is expected.'],
  ])('does not merge with %s, as in REST', (_, fields, pull, message) => {
    const { readPull, mutate, request } = drive(fields, pull)
    expect(mutate('mergePullRequest', { pullRequestId: readPull().id }).message).toBe(message)
    expect(request('PUT', '/pulls/7/merge', {}).body.message).toContain(message)
  })

  test('adds comments and labels that REST returns', () => {
    const { query, readPull, mutate, read } = drive()
    const { id } = readPull()
    expect(mutate('addComment', { subjectId: id, body: 'Hello' })).toBeUndefined()
    const label = query('{ repository(owner: "acme", name: "docs") { label(name: "question") { id } } }').body.data
      .repository.label
    expect(mutate('addLabelsToLabelable', { labelableId: id, labelIds: [label.id] })).toBeUndefined()
    expect(read('/issues/7')).toMatchObject({ comments: 1, labels: [{ name: 'question' }] })
    const [comment] = readPull().comments.nodes
    expect(mutate('updateIssueComment', { id: comment.id, body: 'Bye' })).toBeUndefined()
    expect(read('/issues/7/comments')).toMatchObject([{ body: 'Bye', html_url: comment.url }])
    expect(mutate('removeLabelsFromLabelable', { labelableId: id, labelIds: [label.id] })).toBeUndefined()
    expect(read('/issues/7').labels).toEqual([])
  })

  test('creates and changes an issue', () => {
    const { query, mutate, read } = drive()
    const { id, label } = query('{ repository(owner: "acme", name: "docs") { id label(name: "question") { id } } }')
      .body.data.repository
    const fields = { repositoryId: id, title: 'A page is missing', labelIds: [label.id] }
    expect(mutate('createIssue', fields)).toBeUndefined()
    const { node_id } = read('/issues/101')
    expect(mutate('updateIssue', { id: node_id, title: 'The guide is missing', state: 'CLOSED' })).toBeUndefined()
    expect(read('/issues/101')).toMatchObject({
      title: 'The guide is missing',
      state: 'closed',
      labels: [{ name: 'question' }],
    })
    expect(mutate('createIssue', { ...fields, title: ' ' }).message).toBe('Validation Failed')
  })

  test.each([{ projectIds: ['P_1'] }, { milestoneId: 'MI_1' }])('gets a 501 if it creates an issue with %j', (more) => {
    const { query, docs } = drive({}, {}, { allowsUndocumented: true })
    const { id } = query('{ repository(owner: "acme", name: "docs") { id } }').body.data.repository
    const input = { repositoryId: id, title: 'A page is missing', ...more }
    const create = 'mutation($input: CreateIssueInput!) { createIssue(input: $input) { clientMutationId } }'
    expect([query(create, { input }).status, Object.keys(docs.issues)]).toEqual([501, []])
  })

  test('requires the same permission as the REST operation', () => {
    const { query, readPull, mutate, service } = drive()
    const { id } = readPull()
    const permissions = { contents: 'read', 'pull-requests': 'read', checks: 'read', statuses: 'read' } as const
    service.github.state.permissions = permissions
    expect(query(PULL, { number: 7 }).body.errors).toBeUndefined()
    for (const [name, input] of Object.entries({
      mergePullRequest: { pullRequestId: id },
      enablePullRequestAutoMerge: { pullRequestId: id },
      closePullRequest: { pullRequestId: id },
      addComment: { subjectId: id, body: 'Hello' },
    }))
      expect([name, mutate(name, input).type]).toEqual([name, 'FORBIDDEN'])
  })
})

describe('auto-merge', () => {
  function driveWaiting() {
    const driver = drive(requireChecks('build'))
    const headSha = driver.docs.pulls[7]?.headSha ?? ''
    const run = checkRun({ name: 'build', headSha, createdAtMs: START, completedAtMs: START + 60_000 })
    driver.docs.checkRuns.push(run)
    const { id: pullRequestId } = driver.readPull()
    const enable = (): Json => driver.mutate('enablePullRequestAutoMerge', { pullRequestId, mergeMethod: 'SQUASH' })
    return { ...driver, pullRequestId, enable }
  }

  test('merges once the required checks have passed', () => {
    const { enable, readPull, advance, docs } = driveWaiting()
    expect(enable()).toBeUndefined()
    expect(readPull()).toMatchObject({ state: 'OPEN', autoMergeRequest: { mergeMethod: 'SQUASH' } })
    advance(61)
    expect(readPull()).toMatchObject({ state: 'MERGED', headRefOid: docs.pulls[7]?.headSha })
  })

  test('does not merge after it was disabled, and cannot be disabled twice', () => {
    const { enable, mutate, readPull, advance, pullRequestId } = driveWaiting()
    enable()
    expect(mutate('disablePullRequestAutoMerge', { pullRequestId })).toBeUndefined()
    expect(mutate('disablePullRequestAutoMerge', { pullRequestId }).message).toContain("Can't disable auto-merge")
    advance(61)
    expect(readPull()).toMatchObject({ state: 'OPEN', autoMergeRequest: null })
  })

  test.each([
    ['there is no protection', {}, {}, 'Protected branch rules not configured for this branch'],
    ['no requirement is missing', requireChecks(), {}, 'Pull request is in clean status'],
    ['the repository forbids it', { isAutoMergeAllowed: false }, {}, 'Auto merge is not allowed for this repository'],
  ])('is refused if %s', (_, fields, pull, message) => {
    const { readPull, mutate } = drive(fields, pull)
    expect(mutate('enablePullRequestAutoMerge', { pullRequestId: readPull().id }).message).toContain(message)
  })
})
