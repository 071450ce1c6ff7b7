import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'

/** A commit of a generated repository. */
export interface GeneratedCommit {
  readonly files: Readonly<Record<string, string>>
  readonly message?: string
  /** `Name <mail>` */
  readonly author?: string
  /** By default the author. */
  readonly committer?: string
}

/** A push to the default branch: a commit, or the merge of a branch with several. */
export interface GeneratedPush extends GeneratedCommit {
  readonly atMs: number
  /** The commits of the merged branch, oldest first. */
  readonly branch?: readonly GeneratedCommit[]
}

const ANN = 'Ann <ann@example.com>'
export const RENOVATE = 'renovate[bot] <29139614+renovate[bot]@users.noreply.github.com>'
export const DEPENDABOT = 'dependabot[bot] <49699333+dependabot[bot]@users.noreply.github.com>'
/** GitHub itself, which commits merges. */
export const WEB_FLOW = 'GitHub <noreply@github.com>'

export const git = (folder: string, ...args: readonly string[]): string =>
  execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

const toData = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`

/** Creates a repository with these pushes, oldest first. */
export function createRepository(folder: string, pushes: readonly GeneratedPush[], branch = 'main'): string {
  mkdirSync(folder, { recursive: true })
  git(folder, 'init', '--quiet', `--initial-branch=${branch}`)
  let mark = 0
  let head = 0
  const lines: string[] = []
  const add = (commit: GeneratedCommit, ref: string, atMs: number, ...parents: readonly number[]): number => {
    const { author = ANN, committer = author, message = 'Change it', files } = commit
    const time = `${Math.floor(atMs / 1_000)} +0000`
    const [first = 0, ...merged] = parents
    lines.push(
      `commit ${ref}\nmark :${++mark}\nauthor ${author} ${time}\ncommitter ${committer} ${time}\n${toData(message)}`,
      first === 0 ? '' : `from :${first}\n`,
      ...merged.map((parent) => `merge :${parent}\n`),
      ...Object.entries(files).map(([path, text]) => `M 100644 inline ${path}\n${toData(text)}`),
      '\n',
    )
    return mark
  }
  for (const push of pushes) {
    let tip = head
    for (const commit of push.branch ?? []) tip = add(commit, 'refs/heads/topic', push.atMs - 60_000, tip)
    head =
      push.branch === undefined
        ? add(push, `refs/heads/${branch}`, push.atMs, head)
        : add(
            { ...push, files: Object.assign({}, ...push.branch.map(({ files }) => files)) as GeneratedCommit['files'] },
            `refs/heads/${branch}`,
            push.atMs,
            head,
            tip,
          )
  }
  execFileSync('git', ['-C', folder, 'fast-import', '--quiet'], { input: lines.join('') })
  if (pushes.some((push) => push.branch !== undefined)) git(folder, 'update-ref', '-d', 'refs/heads/topic')
  git(folder, 'reset', '--quiet', '--hard')
  return folder
}

/** Numbers from 0 to 1, the same for each seed. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}

/** Longer than a job takes. */
const MIN_GAP_MS = 20 * 60_000
const DAY_MS = 86_400_000

/** A month of direct commits, squashed pull requests of a bot, and merges of branches. */
export function drawMonth(seed: number, startMs: number, maxGapMinutes: number): readonly GeneratedPush[] {
  const random = createRandom(seed)
  const paths = ['src/a.ts', 'src/deep/b.ts', 'docs/index.md', 'README.md', 'package.json']
  const pushes: GeneratedPush[] = []
  let atMs = startMs
  while (atMs < startMs + 29 * DAY_MS) {
    atMs += Math.ceil(random() * maxGapMinutes) * 60_000 + MIN_GAP_MS
    const at = pushes.length
    const draw = (): Record<string, string> => ({
      [paths[Math.floor(random() * paths.length)] ?? '']: `${at} ${random()}\n`,
    })
    const kind = random()
    if (kind < 0.3) {
      const branch = [0, 1].map(() => ({ files: draw() }))
      pushes.push({
        atMs,
        files: {},
        branch,
        committer: WEB_FLOW,
        message: `Merge pull request #${at + 1} from acme/topic`,
      })
    } else if (kind < 0.5)
      pushes.push({ atMs, files: draw(), author: RENOVATE, committer: WEB_FLOW, message: `Bump it (#${at + 1})` })
    else pushes.push({ atMs, files: draw(), message: kind < 0.55 ? 'Change it [skip ci]' : 'Change it' })
  }
  return pushes
}
