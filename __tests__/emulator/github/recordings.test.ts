import { expect, test } from '@jest/globals'
import { GITHUB_TOKEN } from '../../../src/emulator/github/demo-state.ts'
import { createGitHub } from '../../../src/emulator/github/github.ts'
import { API_PATH } from '../../../src/emulator/github/reply.ts'
import { type RepositoryState, repositoryState } from '../../../src/emulator/github/repository-state.ts'
import { type GitHubState, USUAL_LAG } from '../../../src/emulator/github/state.ts'
import type { ServiceResponse } from '../../../src/emulator/http/exchange.ts'
import { RECORDED_SCENARIOS, type Recording, compareWithRecorded, readRecordings } from '../../support/recordings.ts'

const BASE_URL = 'https://github.com'
const OWNER = 'octokit-fixture-org'
const [USER_A, USER_B] = ['octokit-fixture-user-a', 'octokit-fixture-user-b']
const RECORDED_AT_MS = Date.parse('2017-10-10T16:00:00Z')

interface Scenario {
  /** By their names without the owner. By default the repository that the scenario is named after. */
  readonly repositories?: Readonly<Record<string, Partial<RepositoryState>>>
  /** Requests that came before the recording. */
  readonly before?: readonly Before[]
  /** What a request does that is not played here. */
  readonly instead?: (state: GitHubState, recording: Recording) => void
}

interface Before {
  readonly by?: string
  readonly method: string
  /** Below the repository. */
  readonly path: string
  readonly body: object
}

const newIssue = (title: string, more: object = {}): Before => ({
  method: 'POST',
  path: '/issues',
  body: { title, ...more },
})

const newFile = (path: string, content: string): Before => ({
  method: 'PUT',
  path: `/contents/${path}`,
  body: { message: 'initial commit', content: Buffer.from(content).toString('base64') },
})

/** GitHub creates these with each repository. */
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
  before: [newFile('README.md', '# hello-world')],
}

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'create-status': { before: [newFile('README.md', '# create-status')] },
  'get-content': HELLO_WORLD,
  'get-repository': HELLO_WORLD,
  'git-refs': { before: [newFile('1.md', '# git-refs'), newFile('2.md', '# git-refs')] },
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
  'lock-issue': { before: [newIssue('Issue without a label')] },
  'paginate-issues': { before: Array.from({ length: 13 }, (_, index) => newIssue(`Test issue ${index + 1}`)) },
  'rename-repository': {
    instead: ({ repositories }, { method, path }) => {
      const [old, renamed] = [`${OWNER}/rename-repository`, `${OWNER}/rename-repository-newname`]
      if (method !== 'patch' || !path.endsWith('/rename-repository')) return
      repositories[renamed] = repositories[old] ?? repositoryState()
      repositories[old] = repositoryState({ movedTo: renamed })
    },
  },
  'search-issues': {
    before: [
      newIssue('The doors don’t open', { body: 'I tried "open sesame" as seen on Wikipedia but no luck!' }),
      {
        ...newIssue('Sesame seeds split without a pop!', {
          body: 'I’ve waited all year long, but there was no pop 😭',
        }),
        by: USER_B,
      },
    ],
  },
}

/** Differences on purpose, and why. Each is found in some recording. */
const INTENDED: readonly (readonly [difference: RegExp, reason: string])[] = [
  [/_url: .* recorded, nothing here$/, 'leads to what is not played, or to a page that is not shown'],
  [/\/(?:user|owner|creator)\/url: .* nothing here$/, 'users cannot be asked for'],
  [/\/tree\/url: .* nothing here$/, 'commits have no trees'],
  [/\/gravatar_id: "" recorded, nothing here$/, 'always empty'],
  [/\/download_url: /, 'files are downloaded from another host'],
  [/\/documentation_url: /, 'leads to all of the documentation'],
  [/\/author_association: "MEMBER" recorded, "NONE" here$/, 'organizations have no members'],
  [/\/(?:closed_by|performed_via_github_app): null recorded, nothing here$/, 'is not in the state'],
  [
    /\/(?:organization|permissions|temp_clone_token|topics): .* nothing here$/,
    'is not in the state, and may be missing',
  ],
  [
    /\/(?:allow_forking|allow_update_branch|is_template|use_squash_\w+|web_commit_signoff_required): .* nothing here$/,
    'is a setting that nothing depends on, and may be missing',
  ],
  [/ \/(?:has_discussions|search_type|status): nothing recorded/, 'is newer than the recording'],
]

/** Scenarios that are about something else than this GitHub plays. */
const NOT_PLAYED: readonly string[] = [
  ...['add-and-remove-repository-collaborator', 'branch-protection', 'get-archive', 'get-organization', 'get-root'],
  ...['mark-notifications-as-read', 'markdown', 'project-cards', 'release-assets', 'release-assets-conflict'],
]

/** Addresses as the embedded GitHub has them. The names of temporary repositories were left in some. */
const translate = (text: string): string =>
  text.replaceAll('https://api.github.com', BASE_URL + API_PATH).replaceAll(/tmp-scenario-([a-z-]+)-\d+-\w+/g, '$1')

function startScenario(name: string) {
  const { repositories = { [name]: {} }, before = [] } = SCENARIOS[name] ?? {}
  const named = Object.entries(repositories).map(([short, fields]) => {
    const repository = repositoryState({ id: 1000, reservedNumbers: 0, isAutoMergeAllowed: false, ...fields })
    return [`${OWNER}/${short}`, repository] as const
  })
  const github = createGitHub({
    baseUrl: BASE_URL,
    startMs: RECORDED_AT_MS,
    state: {
      users: { [USER_A]: { id: 1000, type: 'User' }, [USER_B]: { id: 1001, type: 'User' } },
      lag: { ...USUAL_LAG, searchMs: 0 },
      repositories: Object.fromEntries(named),
    },
  })
  const ask = (method: string, path: string, body: string, accept = ''): ServiceResponse => {
    const headers = { authorization: `token ${GITHUB_TOKEN}`, accept }
    return github.handle({ method: method.toUpperCase(), target: API_PATH + path, headers, body }, RECORDED_AT_MS)
  }
  for (const { by = USER_A, method, path, body } of before) {
    github.state.identity = by
    const { status } = ask(method, `/repos/${OWNER}/${Object.keys(repositories)[0] ?? ''}${path}`, JSON.stringify(body))
    expect([method, path, status]).toEqual([method, path, 201])
  }
  github.state.identity = USER_A
  return { ask, state: github.state }
}

function readBody({ body, headers }: ServiceResponse): unknown {
  return headers['content-type']?.startsWith('application/json') === true ? (JSON.parse(body) as unknown) : body
}

/** What of the headers a client reads: some with their values, some only by their names. */
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

interface Played {
  /** Calls that were answered 501. */
  readonly notPlayed: readonly string[]
  readonly differences: readonly string[]
}

function playScenario(name: string): Played {
  const { ask, state } = startScenario(name)
  // The newest commit is recorded as number 1.
  const commits = Object.values(state.repositories)[0]?.commits.toReversed() ?? []
  const withCommits = (text: string): string =>
    text.replaceAll(/0{36}(\d{4})/g, (recorded, number) => commits[Number(number) - 1]?.sha ?? recorded)
  const notPlayed: string[] = []
  const differences: string[] = []
  for (const recording of readRecordings(name)) {
    const { method, path, body, reqheaders, status, response } = recording
    const call = `${method.toUpperCase()} ${path}`
    const given = withCommits(body === '' ? '' : JSON.stringify(body))
    const answered = ask(method, withCommits(path), given, String(reqheaders['accept']))
    if (answered.status === 501) {
      notPlayed.push(call)
      SCENARIOS[name]?.instead?.(state, recording)
      continue
    }
    const recorded: unknown = JSON.parse(translate(JSON.stringify(response)))
    const found = [
      ...compareWithRecorded(status, answered.status, 'HTTP status'),
      ...compareWithRecorded(recorded, readBody(answered)),
      ...compareHeaders(recording, answered),
    ]
    differences.push(...found.map((difference) => `${call} ${difference}`))
  }
  return { notPlayed, differences }
}

const played = new Map(RECORDED_SCENARIOS.map((name) => [name, playScenario(name)]))

test.each([...played])('%s: differs from the recording only on purpose', (_name, { differences }) => {
  expect(differences.filter((one) => !INTENDED.some(([pattern]) => pattern.test(one)))).toEqual([])
})

test('each difference on purpose is in a recording', () => {
  const all = [...played.values()].flatMap(({ differences }) => differences)
  expect(INTENDED.filter(([pattern]) => !all.some((one) => pattern.test(one)))).toEqual([])
})

test('what is recorded is either played or answered 501', () => {
  const withoutOthers = [...played].filter(([name]) => !NOT_PLAYED.includes(name))
  expect(withoutOthers.flatMap(([, { notPlayed }]) => notPlayed)).toEqual([
    // GitHub's description no longer has this call.
    'GET /repos/octokit-fixture-org/git-refs/git/refs/',
    'GET /repos/octokit-fixture-org/git-refs/git/refs/',
    'PATCH /repos/octokit-fixture-org/rename-repository',
    'PATCH /repositories/1000',
  ])
  for (const name of NOT_PLAYED) expect(played.get(name)?.notPlayed).toHaveLength(readRecordings(name).length)
})
