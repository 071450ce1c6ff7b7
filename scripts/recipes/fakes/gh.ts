/**
 * Plays the commands of GitHub CLI that recipes use, over REST, because the embedded GitHub has no GraphQL. Every other
 * command and flag fails.
 */
import { execFileSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { parseArgs, type ParseArgsConfig } from 'node:util'

const { GH_LOG = '', GH_TOKEN = '', GITHUB_API_URL = '', GOJQ = '' } = process.env

interface Response {
  readonly status: number
  readonly json: unknown
  readonly message: string
}

async function request(method: string, path: string, body?: object): Promise<Response> {
  const response = await fetch(`${GITHUB_API_URL}/${path}`, {
    method,
    headers: { authorization: `token ${GH_TOKEN}` },
    ...(body && { body: JSON.stringify(body) }),
  })
  const json = JSON.parse((await response.text()) || 'null') as unknown
  const { message = '' } = (json ?? {}) as { readonly message?: string }
  return { status: response.status, json, message }
}

/** Sends a request that must succeed. */
async function send(method: string, path: string, body?: object): Promise<unknown> {
  const { status, json, message } = await request(method, path, body)
  if (status >= 400) throw new Error(`${message} (HTTP ${status})`)
  return json
}

/** Returns the API path of a pull request. */
function getPath(link: string): string {
  const [, name, number] = /^https?:\/\/[^/]+\/([^/]+\/[^/]+)\/pull\/(\d+)$/.exec(link) ?? []
  if (name === undefined || number === undefined) throw new Error(`There is no pull request “${link}”.`)
  return `repos/${name}/pulls/${number}`
}

interface Review {
  readonly user: { readonly login: string }
  readonly state: string
}

type Values = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>

interface Command {
  readonly options: ParseArgsConfig['options'] & {}
  readonly run: (target: string, values: Values) => Promise<void>
}

const COMMANDS: Readonly<Record<string, Command>> = {
  'pr merge': {
    options: { squash: { type: 'boolean' }, 'match-head-commit': { type: 'string' } },
    async run(link, { squash, 'match-head-commit': sha }) {
      if (squash !== true) throw new Error('--squash is required.')
      await send('PUT', `${getPath(link)}/merge`, { merge_method: 'squash', ...(sha !== undefined && { sha }) })
    },
  },
  'pr update-branch': {
    options: {},
    async run(link) {
      const { status, message } = await request('PUT', `${getPath(link)}/update-branch`)
      // GitHub CLI compares first, and succeeds if the branch is up to date.
      if (status >= 400 && message !== 'There are no new commits on the base branch.')
        throw new Error(`${message} (HTTP ${status})`)
    },
  },
  'pr view': {
    options: { json: { type: 'string' }, jq: { type: 'string' } },
    async run(link, { json, jq }) {
      if (json !== 'reviews' || typeof jq !== 'string') throw new Error('Only --json reviews with --jq is played.')
      const listed = (await send('GET', `${getPath(link)}/reviews?per_page=100`)) as readonly Review[]
      const reviews = listed.map(({ user, state }) => ({ author: { login: user.login }, state }))
      // The library that GitHub CLI uses.
      const input = JSON.stringify({ reviews })
      process.stdout.write(execFileSync(GOJQ, ['--raw-output', jq], { input }))
    },
  },
  api: {
    options: { 'raw-field': { type: 'string', short: 'f', multiple: true }, silent: { type: 'boolean' } },
    async run(path, { 'raw-field': fields, silent }) {
      if (!Array.isArray(fields) || silent !== true) throw new Error('Only fields and --silent are played.')
      const pairs = fields.map((field) => /^([^=]+)=([^]*)$/.exec(String(field))?.slice(1) ?? [])
      await send('POST', path, Object.fromEntries(pairs) as object)
    },
  },
}

async function run(args: readonly string[]): Promise<void> {
  appendFileSync(GH_LOG, `${args.join(' ')}\n`)
  if (GH_TOKEN === '') throw new Error('Set the environment variable GH_TOKEN.')
  const words = args[0] === 'api' ? 1 : 2
  const name = args.slice(0, words).join(' ')
  const command = COMMANDS[name]
  if (command === undefined) throw new Error(`The command “${name}” is not played.`)
  const { options } = command
  const { values, positionals } = parseArgs({ args: args.slice(words), options, allowPositionals: true })
  await command.run(positionals[0] ?? '', values)
}

try {
  await run(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`gh: ${(error as Error).message}\n`)
  process.exitCode = 1
}
