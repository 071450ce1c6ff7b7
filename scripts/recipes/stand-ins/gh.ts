/**
 * Plays the commands of GitHub CLI that recipes use, over REST, because the embedded GitHub has no GraphQL. Every other
 * command and flag fails.
 */
import { execFileSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

interface Pull {
  readonly number: number
  readonly title: string
  readonly html_url: string
  readonly state: string
  readonly merged_at: string | null
  readonly draft: boolean
  readonly head: { readonly ref: string; readonly sha: string }
  readonly base: { readonly ref: string }
  readonly labels: readonly { readonly name: string }[]
}

interface Values extends Readonly<Partial<Record<TextFlag, string>>>, Readonly<Partial<Record<Switch, boolean>>> {
  readonly field?: readonly string[]
}
type TextFlag =
  'repo' | 'match-head-commit' | 'json' | 'jq' | 'state' | 'label' | 'add-label' | 'body' | 'title' | 'method'
type Switch = (typeof MERGE_METHODS)[number] | 'approve' | 'request-changes' | 'comment' | 'paginate' | 'silent'

interface Command {
  readonly flags: readonly (TextFlag | Switch | 'field')[]
  readonly run: (target: string, values: Values) => Promise<void>
}

const { ARTIFACTS_FOLDER = '', GH_TOKEN = '', GITHUB_API_URL = '', GITHUB_REPOSITORY = '', GOJQ = '' } = process.env
const MERGE_METHODS = ['merge', 'squash', 'rebase'] as const
const SWITCHES: readonly string[] = [...MERGE_METHODS, 'approve', 'request-changes', 'comment', 'paginate', 'silent']

async function send(method: string, path: string, body?: object) {
  const response = await fetch(path.startsWith('http') ? path : `${GITHUB_API_URL}/${path.replace(/^\//, '')}`, {
    method,
    headers: { authorization: `token ${GH_TOKEN}` },
    ...(body && { body: JSON.stringify(body) }),
  })
  const json = JSON.parse((await response.text()) || 'null') as unknown
  const { message = '' } = (json ?? {}) as { readonly message?: string }
  if (!response.ok) throw new Error(`${message} (HTTP ${response.status})`)
  return { json, next: /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1] }
}

async function readPages(path: string): Promise<readonly unknown[]> {
  const pages: unknown[] = []
  for (let next: string | undefined = path; next !== undefined;) {
    const { json, next: following } = await send('GET', next)
    pages.push(json)
    next = following
  }
  return pages
}

/** Prints JSON. Evaluates `--jq` with the library that gh uses. */
function print(json: unknown, jq: string | undefined): void {
  const input = JSON.stringify(json)
  process.stdout.write(jq === undefined ? `${input}\n` : execFileSync(GOJQ, ['--raw-output', jq], { input }))
}

/** Returns the API path of a pull request that is named by its link, or by its number and `--repo`. */
function getPath(kind: 'pulls' | 'issues', target: string, { repo = GITHUB_REPOSITORY }: Values): string {
  const [, linked = repo, number = target] =
    /^https?:\/\/[^/]+\/([^/]+\/[^/]+)\/pull\/(\d+)$/.exec(target) ?? ([] as string[])
  if (!/^\d+$/.test(number)) throw new Error(`There is no pull request “${target}”.`)
  return `repos/${linked}/${kind}/${number}`
}

const PULL_FIELDS: Readonly<Record<string, (pull: Pull) => unknown>> = {
  number: ({ number }) => number,
  title: ({ title }) => title,
  url: ({ html_url: url }) => url,
  state: ({ state, merged_at: mergedAt }) => (mergedAt === null ? state.toUpperCase() : 'MERGED'),
  isDraft: ({ draft }) => draft,
  headRefName: ({ head }) => head.ref,
  headRefOid: ({ head }) => head.sha,
  baseRefName: ({ base }) => base.ref,
  labels: ({ labels }) => labels.map(({ name }) => ({ name })),
}

function selectFields(pull: Pull, names = 'url'): object {
  const fields = names.split(',').map((name) => {
    const select = PULL_FIELDS[name]
    if (select === undefined) throw new Error(`--json ${name} is not played.`)
    return [name, select(pull)] as const
  })
  return Object.fromEntries(fields)
}

const COMMANDS: Readonly<Record<string, Command>> = {
  'pr merge': {
    flags: ['repo', ...MERGE_METHODS, 'match-head-commit'],
    async run(target, values) {
      const method = MERGE_METHODS.find((name) => values[name])
      if (method === undefined) throw new Error('--merge, --rebase or --squash is required.')
      const { 'match-head-commit': sha } = values
      await send('PUT', `${getPath('pulls', target, values)}/merge`, { merge_method: method, ...(sha && { sha }) })
    },
  },
  'pr view': {
    flags: ['repo', 'json', 'jq'],
    async run(target, values) {
      const { json } = await send('GET', getPath('pulls', target, values))
      print(selectFields(json as Pull, values.json), values.jq)
    },
  },
  'pr list': {
    flags: ['repo', 'state', 'label', 'json', 'jq'],
    async run(_target, { repo = GITHUB_REPOSITORY, state = 'open', label, json: names, jq }) {
      const pulls = (await readPages(`repos/${repo}/pulls?per_page=100&state=${state}`)).flat() as readonly Pull[]
      const listed = pulls.filter(({ labels }) => label === undefined || labels.some(({ name }) => name === label))
      const bodies = listed.map((pull) => selectFields(pull, names))
      print(bodies, jq)
    },
  },
  'pr comment': {
    flags: ['repo', 'body'],
    async run(target, values) {
      await send('POST', `${getPath('issues', target, values)}/comments`, { body: values.body })
    },
  },
  'pr edit': {
    flags: ['repo', 'add-label'],
    async run(target, values) {
      await send('POST', `${getPath('issues', target, values)}/labels`, { labels: [values['add-label']] })
    },
  },
  'pr review': {
    flags: ['repo', 'approve', 'request-changes', 'comment', 'body'],
    async run(target, values) {
      const { approve = false, 'request-changes': asksForChanges = false, body = '' } = values
      const event = approve ? 'APPROVE' : asksForChanges ? 'REQUEST_CHANGES' : 'COMMENT'
      await send('POST', `${getPath('pulls', target, values)}/reviews`, { event, body })
    },
  },
  'issue create': {
    flags: ['repo', 'title', 'body', 'label'],
    async run(_target, { repo = GITHUB_REPOSITORY, title, body, label }) {
      const labels = label === undefined ? [] : [label]
      const { json } = await send('POST', `repos/${repo}/issues`, { title, body, labels })
      process.stdout.write(`${(json as { readonly html_url: string }).html_url}\n`)
    },
  },
  api: {
    flags: ['paginate', 'method', 'jq', 'silent', 'field'],
    async run(path, { paginate = false, method, jq, silent = false, field = [] }) {
      const fields = field.map((pair): [string, string] => {
        const [name = '', ...parts] = pair.split('=')
        return [name, parts.join('=')]
      })
      const body = fields.length === 0 ? undefined : Object.fromEntries(fields)
      const pages = paginate
        ? await readPages(path)
        : [(await send(method ?? (body === undefined ? 'GET' : 'POST'), path, body)).json]
      if (!silent) for (const page of pages) print(page, jq)
    },
  },
}

const toOption = (name: string) => {
  if (SWITCHES.includes(name)) return { type: 'boolean' } as const
  return name === 'field' ? ({ type: 'string', short: 'f', multiple: true } as const) : ({ type: 'string' } as const)
}

async function run(args: readonly string[]): Promise<void> {
  appendFileSync(join(ARTIFACTS_FOLDER, 'gh.log'), `${args.join(' ')}\n`)
  if (GH_TOKEN === '') throw new Error('Set the environment variable GH_TOKEN.')
  const words = args[0] === 'api' ? 1 : 2
  const name = args.slice(0, words).join(' ')
  const command = COMMANDS[name]
  if (command === undefined) throw new Error(`The command “${name}” is not played.`)
  const { values, positionals } = parseArgs({
    args: args.slice(words),
    options: Object.fromEntries(command.flags.map((flag) => [flag, toOption(flag)])),
    allowPositionals: true,
  })
  await command.run(positionals[0] ?? '', values)
}

try {
  await run(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`gh: ${(error as Error).message}\n`)
  process.exitCode = 1
}
