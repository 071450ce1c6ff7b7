import {
  type GraphQLError,
  type GraphQLSchema,
  OverlappingFieldsCanBeMergedRule,
  buildSchema,
  executeSync,
  getOperationAST,
  parse,
  specifiedRules,
  validate,
} from 'graphql'
import { type Paging, createConnection } from './graphql-list.ts'
import { createMutationFields } from './graphql-mutations.ts'
import { NotImplementedError, createError } from './graphql-errors.ts'
import { SCHEMA } from './graphql-schema.ts'
import { toActorView, toCommentView, toIssueView, toLabelView, toPullView, toRepositoryView } from './graphql-views.ts'
import { parseNodeId } from './node-id.ts'
import {
  type AccountCall,
  type Call,
  type Reply,
  notImplemented,
  ok,
  findIgnoringCase,
  withRepository,
} from './reply.ts'
import { parseSearch, searchIssues } from './search-issues.ts'

/** GitHub accepts `... on Issue { state } ... on PullRequest { state }` although the types of the two fields differ. */
const RULES = specifiedRules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule)

let builtSchema: GraphQLSchema | undefined

function getSchema(): GraphQLSchema {
  builtSchema ??= buildSchema(SCHEMA, { assumeValidSDL: true })
  return builtSchema
}

/** Finds a repository by its current name or a former one. */
function findRepository(call: AccountCall, requestedName: string): Call {
  const { repositories } = call.state
  const name = findIgnoringCase(Object.keys(repositories), requestedName) ?? requestedName
  const { [name]: repository } = repositories
  if (repository === undefined)
    throw createError('NOT_FOUND', `Could not resolve to a Repository with the name '${requestedName}'.`)
  return repository.movedTo === undefined
    ? withRepository(call, name, repository)
    : findRepository(call, repository.movedTo)
}

function findRepositoryById(call: AccountCall, repositoryId: number): Call | undefined {
  const found = Object.entries(call.state.repositories).find(
    ([, { id, movedTo }]) => id === repositoryId && movedTo === undefined,
  )
  return found === undefined ? undefined : withRepository(call, ...found)
}

function findNodeView(call: AccountCall, id: string): object {
  const node = parseNodeId(id)
  const repositoryCall = node === undefined ? undefined : findRepositoryById(call, node.repositoryId)
  const number = Number(node?.key)
  if (node?.kind === 'U') return toActorView(call, node.key)
  if (node !== undefined && repositoryCall !== undefined) {
    const { labels, issues, pulls } = repositoryCall.repository
    if (node.kind === 'R') return toRepositoryView(repositoryCall)
    if (node.kind === 'LA' && labels.includes(node.key)) return toLabelView(repositoryCall, node.key)
    if (node.kind === 'PR' && pulls[number] !== undefined) return toPullView(repositoryCall, number, pulls[number])
    if (node.kind === 'I' && issues[number] !== undefined) return toIssueView(repositoryCall, number, issues[number])
    for (const [issueNumber, { comments }] of [...Object.entries(issues), ...Object.entries(pulls)]) {
      const comment = comments.find((candidate) => node.kind === 'IC' && candidate.id === number)
      if (comment !== undefined) return toCommentView(repositoryCall, Number(issueNumber), comment)
    }
  }
  throw createError('NOT_FOUND', `Could not resolve to a node with the global id of '${id}'`)
}

interface SearchArguments extends Paging {
  readonly query: string
  readonly type: string
}

function search(call: AccountCall, { query, type, ...paging }: SearchArguments): object {
  const parsed = parseSearch(query)
  if (type !== 'ISSUE') throw new NotImplementedError(`a search of the type ${type}`)
  if ('unsupported' in parsed) throw new NotImplementedError(`“${parsed.unsupported}” in a search`)
  const found = searchIssues(call.state, parsed, call.nowMs)
  return {
    issueCount: found.length,
    ...createConnection('search', found, paging, ({ repositoryName, number, issue }) => {
      const repositoryCall = findRepository(call, repositoryName)
      const { [number]: pull } = repositoryCall.repository.pulls
      return pull === undefined ? toIssueView(repositoryCall, number, issue) : toPullView(repositoryCall, number, pull)
    }),
  }
}

/** Returns GitHub's message for a field, argument or type that the schema does not have. Undefined for any other error. */
function describeMissing(message: string): string | undefined {
  const [, field, type] = /^Cannot query field "(\w+)" on type "(\w+)"/.exec(message) ?? []
  if (field !== undefined) return `Field '${field}' doesn't exist on type '${type}'`
  const [, argument, parent] = /^Unknown argument "(\w+)" on field "\w+\.(\w+)"/.exec(message) ?? []
  if (argument !== undefined) return `Field '${parent}' doesn't accept argument '${argument}'`
  const [, name, input] = /Field "(\w+)" is not defined by type "(\w+)"/.exec(message) ?? []
  if (name !== undefined) return `InputObject '${input}' doesn't accept argument '${name}'`
  const unknown = /^Unknown type "(\w+)"/.exec(message)?.[1]
  return unknown === undefined ? undefined : `No such type ${unknown}`
}

/** Returns errors in GitHub's format with status 200, or a 501 if one of them is about an unsupported feature. */
function toReply(query: string, errors: readonly GraphQLError[], data?: unknown): Reply {
  const missing = errors.map(({ message, originalError }) =>
    originalError instanceof NotImplementedError ? originalError.message : describeMissing(message),
  )
  const first = missing.find((name) => name !== undefined)
  if (first !== undefined) return notImplemented(`the GraphQL query ${query}: ${first}`)
  const shown = errors.map(({ message, path, locations, extensions }) => ({
    ...(extensions['type'] !== undefined && { type: extensions['type'] }),
    ...(path !== undefined && { path }),
    ...(locations !== undefined && { locations }),
    message,
  }))
  return ok({ ...(data !== undefined && { data }), errors: shown })
}

/** Executes a GraphQL request on the same state as REST, with the same permissions and errors. */
export function handleGraphQL(call: AccountCall, body: Readonly<Record<string, unknown>>): Reply {
  const { query, variables, operationName } = body
  if (typeof query !== 'string' || query === '')
    return ok({ errors: [{ message: 'A query attribute must be specified and must be a string.' }] })
  let document: ReturnType<typeof parse>
  try {
    document = parse(query)
  } catch (error) {
    return toReply('', [error as GraphQLError])
  }
  const operation = typeof operationName === 'string' ? operationName : undefined
  const name = getOperationAST(document, operation)?.name?.value ?? 'without a name'
  const schema = getSchema()
  const problems = validate(schema, document, RULES)
  if (problems.length > 0) return toReply(name, problems)
  const { data, errors = [] } = executeSync({
    schema,
    document,
    rootValue: {
      viewer: { ...toActorView(call, call.state.identity), login: call.state.identity },
      repository: ({ owner, name: short }: { readonly owner: string; readonly name: string }) =>
        toRepositoryView(findRepository(call, `${owner}/${short}`)),
      node: ({ id }: { readonly id: string }) => findNodeView(call, id),
      search: (given: SearchArguments) => search(call, given),
      ...createMutationFields((repositoryId) => findRepositoryById(call, repositoryId)),
    },
    variableValues: typeof variables === 'object' ? (variables as Record<string, unknown> | null) : undefined,
    operationName: operation,
  })
  return errors.length > 0 ? toReply(name, errors, data) : ok({ data })
}
