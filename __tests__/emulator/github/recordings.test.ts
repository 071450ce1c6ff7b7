import { expect, test } from '@jest/globals'
import { GITHUB_TOKEN } from '../../../src/emulator/github/demo-state.ts'
import { createGitHub } from '../../../src/emulator/github/github.ts'
import { API_PATH } from '../../../src/emulator/github/reply.ts'
import { type RepositoryState, createRepositoryState } from '../../../src/emulator/github/repository-state.ts'
import { type GitHubState, DEFAULT_LAG } from '../../../src/emulator/github/state.ts'
import type { ServiceResponse } from '../../../src/emulator/http/exchange.ts'
import { RECORDED_SCENARIOS, type Recording, compareWithRecorded, readRecordings } from '../../support/recordings.ts'

const BASE_URL = 'https://github.com'
const OWNER = 'octokit-fixture-org'
const [USER_A, USER_B] = ['octokit-fixture-user-a', 'octokit-fixture-user-b']
const RECORDED_AT_MS = Date.parse('2017-10-10T16:00:00Z')

interface Scenario {
  /** By name without the owner. Default: the repository that the scenario is named after. */
  readonly repositories?: Readonly<Record<string, Partial<RepositoryState>>>
  /** Requests to send before the recorded ones. */
  readonly before?: readonly SetupRequest[]
  /** Replaces an unsupported request. */
  readonly instead?: (state: GitHubState, recording: Recording) => void
}

interface SetupRequest {
  readonly by?: string
  readonly method: string
  /** Below the path of the repository. */
  readonly path: string
  readonly body: object
}

const createIssue = (title: string, fields: object = {}): SetupRequest => ({
  method: 'POST',
  path: '/issues',
  body: { title, ...fields },
})

const createFile = (path: string, content: string): SetupRequest => ({
  method: 'PUT',
  path: `/contents/${path}`,
  body: { message: 'initial commit', content: Buffer.from(content).toString('base64') },
})

/** GitHub creates these labels with each repository. */
const DEFAULT_LABELS: RepositoryState['labelDetails'] = {
  bug: { color: 'd73a4a', description: "Something isn't working" },
  documentation: { color: '0075ca', description: 'Improvements or additions to documentation' },
  duplicate: { color: 'cfd3d7', description: 'This issue or pull request already exists' },
  enhancement: { color: 'a2eeef', description: 'New feature or request' },
  'good first issue': { color: '7057ff', description: 'Good for newcomers' },
  'help wanted': { color: '008672', description: 'Extra attention is needed' },
  invalid: { color: 'e4e669', description: "This doesn't seem right" },
  question: { color: 'd876e3', description: 'Further information is requested' },
  wontfix: { color: 'ffffff', description: 'This will not be worked on' },
}

const HELLO_WORLD: Scenario = {
  repositories: { 'hello-world': { defaultBranch: 'master' } },
  before: [createFile('README.md', '# hello-world')],
}

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'create-status': { before: [createFile('README.md', '# create-status')] },
  'get-content': HELLO_WORLD,
  'get-repository': HELLO_WORLD,
  'git-refs': { before: [createFile('1.md', '# git-refs'), createFile('2.md', '# git-refs')] },
  labels: {
    repositories: {
      labels: {
        labels: Object.keys(DEFAULT_LABELS),
        labelDetails: Object.fromEntries(
          Object.entries(DEFAULT_LABELS).map(([name, details]) => [name, { ...details, isDefault: true }]),
        ),
      },
    },
  },
  'lock-issue': { before: [createIssue('Issue without a label')] },
  'paginate-issues': { before: Array.from({ length: 13 }, (_, index) => createIssue(`Test issue ${index + 1}`)) },
  'rename-repository': {
    instead: ({ repositories }, { method, path }) => {
      const [old, renamed] = [`${OWNER}/rename-repository`, `${OWNER}/rename-repository-newname`]
      if (method !== 'patch' || !path.endsWith('/rename-repository')) return
      repositories[renamed] = repositories[old] ?? createRepositoryState()
      repositories[old] = createRepositoryState({ movedTo: renamed })
    },
  },
  'search-issues': {
    before: [
      createIssue('The doors don’t open', { body: 'I tried "open sesame" as seen on Wikipedia but no luck!' }),
      {
        ...createIssue('Sesame seeds split without a pop!', {
          body: 'I’ve waited all year long, but there was no pop 😭',
        }),
        by: USER_B,
      },
    ],
  },
}

/** Intended differences with their reasons. Each occurs in a recording. */
const INTENDED: readonly (readonly [difference: RegExp, reason: string])[] = [
  [/_url: .* recorded, nothing here$/, 'links to an unsupported operation or page'],
  [/\/(?:user|owner|creator)\/url: .* nothing here$/, 'users have no URL'],
  [/\/tree\/url: .* nothing here$/, 'commits have no trees'],
  [/\/gravatar_id: "" recorded, nothing here$/, 'always empty'],
  [/\/download_url: /, 'files are downloaded from another host'],
  [/\/documentation_url: /, 'links to the start page of the documentation'],
  [/\/author_association: "MEMBER" recorded, "NONE" here$/, 'organizations have no members'],
  [/\/(?:closed_by|performed_via_github_app): null recorded, nothing here$/, 'is not part of the state'],
  [
    /\/(?:organization|permissions|temp_clone_token|topics): .* nothing here$/,
    'is not part of the state, and is optional',
  ],
  [
    /\/(?:allow_forking|allow_update_branch|is_template|use_squash_\w+|web_commit_signoff_required): .* nothing here$/,
    'is a setting without effect, and is optional',
  ],
  [/ \/(?:has_discussions|search_type|status): nothing recorded/, 'is newer than the recording'],
]

/** Recorded scenarios of unsupported operations. */
const UNSUPPORTED: readonly string[] = [
  'add-and-remove-repository-collaborator',
  'branch-protection',
  'get-archive',
  'get-organization',
  'get-root',
  'mark-notifications-as-read',
  'markdown',
  'project-cards',
  'release-assets',
  'release-assets-conflict',
]

/** Converts recorded URLs to those of the embedded GitHub. Some contain the names of temporary repositories. */
const translate = (text: string): string =>
  text.replaceAll('https://api.github.com', BASE_URL + API_PATH).replaceAll(/tmp-scenario-([a-z-]+)-\d+-\w+/g, '$1')

function startScenario(name: string) {
  const { repositories = { [name]: {} }, before = [] } = SCENARIOS[name] ?? {}
  const named = Object.entries(repositories).map(([short, fields]) => {
    const repository = createRepositoryState({ id: 1000, reservedNumbers: 0, isAutoMergeAllowed: false, ...fields })
    return [`${OWNER}/${short}`, repository] as const
  })
  const github = createGitHub({
    baseUrl: BASE_URL,
    startMs: RECORDED_AT_MS,
    state: {
      users: { [USER_A]: { id: 1000, type: 'User' }, [USER_B]: { id: 1001, type: 'User' } },
      lag: { ...DEFAULT_LAG, searchMs: 0 },
      repositories: Object.fromEntries(named),
    },
  })
  const request = (method: string, path: string, body: string, accept = ''): ServiceResponse => {
    const headers = { authorization: `token ${GITHUB_TOKEN}`, accept }
    return github.handle({ method: method.toUpperCase(), target: API_PATH + path, headers, body }, RECORDED_AT_MS)
  }
  for (const { by = USER_A, method, path, body } of before) {
    github.state.identity = by
    const { status } = request(
      method,
      `/repos/${OWNER}/${Object.keys(repositories)[0] ?? ''}${path}`,
      JSON.stringify(body),
    )
    expect([method, path, status]).toEqual([method, path, 201])
  }
  github.state.identity = USER_A
  return { request, state: github.state }
}

function readBody({ body, headers }: ServiceResponse): unknown {
  return headers['content-type']?.startsWith('application/json') === true ? (JSON.parse(body) as unknown) : body
}

/** Compares the headers that clients read: some by value, the others only by presence. */
function compareHeaders({ method, headers: recorded }: Recording, { headers }: ServiceResponse): readonly string[] {
  const values = ['content-type', 'link', 'location'].flatMap((name) =>
    compareWithRecorded(
      recorded[name] === undefined ? undefined : translate(String(recorded[name])),
      headers[name],
      name,
    ),
  )
  const names = Object.keys(recorded).filter(
    (name) => name.startsWith('x-ratelimit-') || (name === 'etag' && method === 'get'),
  )
  return [...values, ...names.filter((name) => headers[name] === undefined).map((name) => `${name} is missing`)]
}

interface PlayedScenario {
  /** Calls with a 501 response. */
  readonly unsupported: readonly string[]
  readonly differences: readonly string[]
}

function playScenario(name: string): PlayedScenario {
  const { request, state } = startScenario(name)
  // Recordings number commits, starting with the newest one.
  const commits = Object.values(state.repositories)[0]?.commits.toReversed() ?? []
  const withCommits = (text: string): string =>
    text.replaceAll(/0{36}(\d{4})/g, (recorded, number) => commits[Number(number) - 1]?.sha ?? recorded)
  const unsupported: string[] = []
  const differences: string[] = []
  for (const recording of readRecordings(name)) {
    const { method, path, body, reqheaders, status, response } = recording
    const call = `${method.toUpperCase()} ${path}`
    const given = withCommits(body === '' ? '' : JSON.stringify(body))
    const actual = request(method, withCommits(path), given, String(reqheaders['accept']))
    if (actual.status === 501) {
      unsupported.push(call)
      SCENARIOS[name]?.instead?.(state, recording)
      continue
    }
    const recorded: unknown = JSON.parse(translate(JSON.stringify(response)))
    const found = [
      ...compareWithRecorded(status, actual.status, 'HTTP status'),
      ...compareWithRecorded(recorded, readBody(actual)),
      ...compareHeaders(recording, actual),
    ]
    differences.push(...found.map((difference) => `${call} ${difference}`))
  }
  return { unsupported, differences }
}

const played = new Map(RECORDED_SCENARIOS.map((name) => [name, playScenario(name)]))

test.each([...played])('%s: differs from the recording only as intended', (_name, { differences }) => {
  expect(differences.filter((one) => !INTENDED.some(([pattern]) => pattern.test(one)))).toEqual([])
})

test('every intended difference occurs in a recording', () => {
  const all = [...played.values()].flatMap(({ differences }) => differences)
  expect(INTENDED.filter(([pattern]) => !all.some((one) => pattern.test(one)))).toEqual([])
})

test('responds with 501 only to known calls in the recordings', () => {
  const supported = [...played].filter(([name]) => !UNSUPPORTED.includes(name))
  expect(supported.flatMap(([, { unsupported }]) => unsupported)).toEqual([
    // GitHub's API description no longer contains this call.
    'GET /repos/octokit-fixture-org/git-refs/git/refs/',
    'GET /repos/octokit-fixture-org/git-refs/git/refs/',
    'PATCH /repos/octokit-fixture-org/rename-repository',
    'PATCH /repositories/1000',
  ])
  for (const name of UNSUPPORTED) expect(played.get(name)?.unsupported).toHaveLength(readRecordings(name).length)
})
