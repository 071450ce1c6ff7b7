import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

interface Asset {
  readonly id: number
  readonly name: string
  readonly state: 'uploaded' | 'starter'
  readonly sha256: string
}

interface Release {
  readonly id: number
  readonly tag_name: string
  draft: boolean
  assets: Asset[]
}

interface Issue {
  readonly number: number
  readonly labels: readonly { readonly name: string }[]
  state: string
  readonly comments: string[]
}

/** The parts of a repository that a release and the nightly report change. */
export interface RepositoryState {
  /** Commits by tag name. */
  readonly tags: Map<string, string>
  readonly releases: Release[]
  /** Digests with an attestation. */
  readonly attested: Set<string>
  readonly labels: Set<string>
  readonly issues: Issue[]
}

export function emptyRepository(tags: Readonly<Record<string, string>>): RepositoryState {
  return {
    tags: new Map(Object.entries(tags)),
    releases: [],
    attested: new Set(),
    labels: new Set(),
    issues: [],
  }
}

interface Reply {
  readonly status: number
  readonly body?: unknown
}

const reply = (status: number, body?: unknown): Reply => ({ status, body })
const refuse = (status: number, message: string): Reply => reply(status, { message })

type Body = Readonly<Record<string, unknown>>

/** Processes one request, and refuses what GitHub refuses. */
function respond(state: RepositoryState, method: string, url: URL, raw: string): Reply {
  const path = url.pathname.replace(/^\/api\/v3/, '').replace('/repos/acme/action', '')
  const body = (raw.startsWith('{') ? JSON.parse(raw) : {}) as Body
  const matches = (pattern: RegExp): string | undefined => pattern.exec(path)?.[1]
  const nextId = state.releases.length + state.releases.flatMap(({ assets }) => assets).length + 1
  const toJson = (release: Release): object => ({
    ...release,
    upload_url: `https://${url.host}/api/uploads/repos/acme/action/releases/${release.id}/assets{?name,label}`,
  })

  const tag = matches(/^\/commits\/(.+)$/)
  if (tag !== undefined) {
    const sha = state.tags.get(tag)
    return sha === undefined ? refuse(422, 'No commit found for SHA') : reply(200, { sha })
  }
  const digest = matches(/^\/attestations\/sha256:(.+)$/)
  if (digest !== undefined)
    return state.attested.has(digest) ? reply(200, { attestations: [{}] }) : refuse(404, 'Not Found')
  const prefix = matches(/^\/git\/matching-refs\/tags\/(.+)$/)
  if (prefix !== undefined) {
    const found = [...state.tags].filter(([name]) => name.startsWith(prefix))
    return reply(
      200,
      found.map(([name, sha]) => ({ ref: `refs/tags/${name}`, object: { sha } })),
    )
  }
  if (path === '/git/refs' && method === 'POST') {
    const name = String(body['ref']).replace('refs/tags/', '')
    if (state.tags.has(name)) return refuse(422, 'Reference already exists')
    state.tags.set(name, String(body['sha']))
    return reply(201, {})
  }
  const moved = matches(/^\/git\/refs\/tags\/(.+)$/)
  if (moved !== undefined && method === 'PATCH') {
    if (!state.tags.has(moved)) return refuse(422, 'Reference does not exist')
    if (body['force'] !== true) return refuse(422, 'Update is not a fast forward')
    state.tags.set(moved, String(body['sha']))
    return reply(200, {})
  }
  if (path === '/releases' && method === 'GET') return reply(200, state.releases.map(toJson))
  if (path === '/releases' && method === 'POST') {
    const name = String(body['tag_name'])
    if (!state.tags.has(name)) return refuse(422, 'Validation Failed')
    const release = { id: nextId, tag_name: name, draft: body['draft'] === true, assets: [] }
    state.releases.push(release)
    return reply(201, toJson(release))
  }
  const assetId = matches(/^\/releases\/assets\/(\d+)$/)
  if (assetId !== undefined && method === 'DELETE') {
    for (const release of state.releases)
      release.assets = release.assets.filter(({ id }) => String(id) !== assetId || !release.draft)
    return reply(204)
  }
  const releaseId = matches(/\/releases\/(\d+)(?:\/assets)?$/)
  const release = state.releases.find(({ id }) => String(id) === releaseId)
  if (release !== undefined && path.endsWith('/assets')) {
    const name = url.searchParams.get('name') ?? ''
    if (!release.draft) return refuse(422, 'Cannot upload assets to an immutable release.')
    if (release.assets.some((asset) => asset.name === name)) return refuse(422, 'already_exists')
    const sha256 = createHash('sha256').update(raw).digest('hex')
    const asset: Asset = { id: nextId, name, state: 'uploaded', sha256 }
    release.assets = [...release.assets, asset]
    return reply(201, asset)
  }
  if (release !== undefined && method === 'PATCH') {
    const isTaken = state.releases.some(({ tag_name, draft }) => tag_name === release.tag_name && !draft)
    if (body['draft'] === false && release.draft && isTaken) return refuse(422, 'already_exists')
    release.draft = body['draft'] !== false && release.draft
    return reply(200, toJson(release))
  }
  if (path === '/labels' && method === 'POST') {
    const name = String(body['name'])
    if (state.labels.has(name)) return refuse(422, 'already_exists')
    state.labels.add(name)
    return reply(201, {})
  }
  if (path === '/issues' && method === 'GET') {
    const label = url.searchParams.get('labels')
    const open = state.issues.filter(
      (issue) => issue.state === 'open' && issue.labels.some(({ name }) => name === label),
    )
    return reply(200, open)
  }
  if (path === '/issues' && method === 'POST') {
    const labels = (body['labels'] as string[]).map((name) => ({ name }))
    const issue = { number: state.issues.length + 1, labels, state: 'open', comments: [] }
    state.issues.push(issue)
    return reply(201, issue)
  }
  const number = matches(/^\/issues\/(\d+)/)
  const issue = state.issues.find((one) => String(one.number) === number)
  if (issue !== undefined && path.endsWith('/comments')) {
    issue.comments.push(String(body['body']))
    return reply(201, {})
  }
  if (issue !== undefined && method === 'PATCH') {
    issue.state = String(body['state'])
    return reply(200, issue)
  }
  return refuse(501, `The release server does not play ${method} ${path}.`)
}

/** The request that fails with 502, before or after it is processed. */
export interface Failure {
  readonly request: number
  readonly isProcessed: boolean
}

/** A small GitHub for `.ci/release` and `.ci/report-nightly`. */
export function createReleaseServer(
  getState: () => RepositoryState,
  getFailure: (request: string) => Failure | undefined,
  onChange: () => void,
): Server {
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const raw = await text(request)
    const url = new URL(request.url ?? '/', `https://${request.headers.host ?? ''}`)
    const failure = getFailure(`${request.method ?? ''} ${url.pathname}`)
    const isProcessed = failure?.isProcessed ?? true
    const { status, body } = isProcessed
      ? respond(getState(), request.method ?? '', url, raw)
      : refuse(502, 'Bad Gateway')
    if (request.method !== 'GET') onChange()
    response.writeHead(failure === undefined ? status : 502, { 'content-type': 'application/json' })
    response.end(body === undefined ? undefined : JSON.stringify(body))
  }
  return createServer((request, response) => void handle(request, response))
}
