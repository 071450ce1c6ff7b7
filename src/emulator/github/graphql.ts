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
import { type Paging, list } from './graphql-list.ts'
import { mutationFields } from './graphql-mutations.ts'
import { NotPlayedError, refuse } from './graphql-refusals.ts'
import { SCHEMA } from './graphql-schema.ts'
import { actorView, commentView, issueView, labelView, pullView, repositoryView } from './graphql-views.ts'
import { readNodeId } from './node-id.ts'
import { type AccountCall, type Call, type Reply, notPlayed, ok, spelledIn, within } from './reply.ts'
import { parseSearch, searchIssues } from './search-issues.ts'

/** GitHub allows `... on Issue { state } ... on PullRequest { state }`, although the two states have different types. */
const RULES = specifiedRules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule)

let builtSchema: GraphQLSchema | undefined

function getSchema(): GraphQLSchema {
  builtSchema ??= buildSchema(SCHEMA, { assumeValidSDL: true })
  return builtSchema
}

/** A repository by its name, also by one that it had before. */
function findRepository(call: AccountCall, wanted: string): Call {
  const { repositories } = call.state
  const name = spelledIn(Object.keys(repositories), wanted) ?? wanted
  const { [name]: repository } = repositories
  if (repository === undefined)
    throw refuse('NOT_FOUND', `Could not resolve to a Repository with the name '${wanted}'.`)
  return repository.movedTo === undefined ? within(call, name, repository) : findRepository(call, repository.movedTo)
}

function findById(call: AccountCall, repositoryId: number): Call | undefined {
  const found = Object.entries(call.state.repositories).find(
    ([, { id, movedTo }]) => id === repositoryId && movedTo === undefined,
  )
  return found === undefined ? undefined : within(call, ...found)
}

function showNode(call: AccountCall, id: string): object {
  const node = readNodeId(id)
  const inRepository = node === undefined ? undefined : findById(call, node.repositoryId)
  const number = Number(node?.key)
  if (node?.kind === 'U') return actorView(call, node.key)
  if (node !== undefined && inRepository !== undefined) {
    const { labels, issues, pulls } = inRepository.repository
    if (node.kind === 'R') return repositoryView(inRepository)
    if (node.kind === 'LA' && labels.includes(node.key)) return labelView(inRepository, node.key)
    if (node.kind === 'PR' && pulls[number] !== undefined) return pullView(inRepository, number, pulls[number])
    if (node.kind === 'I' && issues[number] !== undefined) return issueView(inRepository, number, issues[number])
    for (const [place, { comments }] of [...Object.entries(issues), ...Object.entries(pulls)]) {
      const comment = comments.find((one) => node.kind === 'IC' && one.id === number)
      if (comment !== undefined) return commentView(inRepository, Number(place), comment)
    }
  }
  throw refuse('NOT_FOUND', `Could not resolve to a node with the global id of '${id}'`)
}

interface SearchArguments extends Paging {
  readonly query: string
  readonly type: string
}

function search(call: AccountCall, { query, type, ...paging }: SearchArguments): object {
  const parsed = parseSearch(query)
  if (type !== 'ISSUE') throw new NotPlayedError(`a search of the type ${type}`)
  if ('unplayed' in parsed) throw new NotPlayedError(`“${parsed.unplayed}” in a search`)
  const found = searchIssues(call.state, parsed, call.nowMs)
  return {
    issueCount: found.length,
    ...list('search', found, paging, ({ repositoryName, number, issue }) => {
      const inRepository = findRepository(call, repositoryName)
      const { [number]: pull } = inRepository.repository.pulls
      return pull === undefined ? issueView(inRepository, number, issue) : pullView(inRepository, number, pull)
    }),
  }
}

/** In GitHub's words, what a query asks for that the schema does not have. Nothing if the query has another fault. */
function nameMissing(message: string): string | undefined {
  const [, field, type] = /^Cannot query field "(\w+)" on type "(\w+)"/.exec(message) ?? []
  if (field !== undefined) return `Field '${field}' doesn't exist on type '${type}'`
  const [, argument, of] = /^Unknown argument "(\w+)" on field "\w+\.(\w+)"/.exec(message) ?? []
  if (argument !== undefined) return `Field '${of}' doesn't accept argument '${argument}'`
  const [, name, input] = /Field "(\w+)" is not defined by type "(\w+)"/.exec(message) ?? []
  if (name !== undefined) return `InputObject '${input}' doesn't accept argument '${name}'`
  const unknown = /^Unknown type "(\w+)"/.exec(message)?.[1]
  return unknown === undefined ? undefined : `No such type ${unknown}`
}

/** Errors in GitHub's form, with status 200, or 501 if one of them says that something is not played. */
function toReply(query: string, errors: readonly GraphQLError[], data?: unknown): Reply {
  const missing = errors.map(({ message, originalError }) =>
    originalError instanceof NotPlayedError ? originalError.message : nameMissing(message),
  )
  const first = missing.find((one) => one !== undefined)
  if (first !== undefined) return notPlayed(`the GraphQL query ${query}: ${first}`)
  const shown = errors.map(({ message, path, locations, extensions }) => ({
    ...(extensions['type'] !== undefined && { type: extensions['type'] }),
    ...(path !== undefined && { path }),
    ...(locations !== undefined && { locations }),
    message,
  }))
  return ok({ ...(data !== undefined && { data }), errors: shown })
}

/** Answers a GraphQL request from the same state as REST, with the same permissions and refusals. */
export function answerGraphQL(call: AccountCall, body: Readonly<Record<string, unknown>>): Reply {
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
      viewer: { ...actorView(call, call.state.identity), login: call.state.identity },
      repository: ({ owner, name: short }: { readonly owner: string; readonly name: string }) =>
        repositoryView(findRepository(call, `${owner}/${short}`)),
      node: ({ id }: { readonly id: string }) => showNode(call, id),
      search: (given: SearchArguments) => search(call, given),
      ...mutationFields((repositoryId) => findById(call, repositoryId)),
    },
    variableValues: typeof variables === 'object' ? (variables as Record<string, unknown> | null) : undefined,
    operationName: operation,
  })
  return errors.length > 0 ? toReply(name, errors, data) : ok({ data })
}
