import { existsSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Account } from '../../../src/github/pull-requests.ts'
import { quote } from '../terminal.ts'
import { type Git, openGit } from './git.ts'

export interface ClonedCommit {
  readonly sha: string
  readonly parents: readonly string[]
  readonly author: Account & { readonly name: string }
  readonly committer: Account & { readonly name: string }
  readonly committedAtMs: number
  readonly message: string
}

/** A file before and after a change: its mode and the id of its content. */
export interface FileChange {
  readonly before: string
  readonly after: string
}

/** A commit of the first-parent log, which counts as one push, with all commits that it brought. */
export interface Push extends ClonedCommit {
  /** The first parent. Git's id of an empty tree for the first commit of all. */
  readonly before: string
  /** Oldest first, the commit itself last. */
  readonly commits: readonly ClonedCommit[]
  /** By path, in order. A renamed file has both of its paths. */
  readonly files: ReadonlyMap<string, FileChange>
}

/** Where the default branch of a clone is. */
export interface Clone {
  readonly folder: string
  readonly git: Git
  /** `owner/name` */
  readonly repository: string
  /** The short name of the default branch. */
  readonly branch: string
  /** The ref of its newest commit, such as `refs/remotes/origin/main`. */
  readonly ref: string
  /** The paths of all files at the newest commit. */
  readonly listFiles: () => readonly string[]
}

const trim = (text: string | undefined): string => text?.trim() ?? ''

function findBranch(git: Git, folder: string): Pick<Clone, 'branch' | 'ref'> {
  const remote = trim(git('symbolic-ref', '--quiet', 'refs/remotes/origin/HEAD'))
  const local = trim(git('symbolic-ref', '--quiet', 'HEAD'))
  const ref = [remote, local].find((name) => name !== '' && git('rev-parse', '--verify', '--quiet', name) !== undefined)
  const branch = ref?.replace(/^refs\/(?:heads|remotes\/origin)\//, '')
  // A repository that was not cloned, but pushed to GitHub, has no `origin/HEAD` (openlawlibrary/taf#456).
  const isGuess = ref === local && branch !== 'main' && branch !== 'master'
  if (ref !== undefined && isGuess && git('remote', 'get-url', 'origin') !== undefined)
    throw new Error(
      `The default branch of ${folder} is not known: it may be another one than ${branch}, which is checked out. This command reads it from GitHub:\n  git -C ${quote(folder)} remote set-head origin --auto`,
    )
  if (ref !== undefined && branch !== undefined) return { branch, ref }
  throw new Error(
    local === ''
      ? `The default branch of ${folder} is not known: no branch is checked out. Check it out: git -C ${quote(folder)} switch main`
      : `${folder} has no commits.`,
  )
}

/**
 * Opens a clone, read-only.
 * @throws Error that says what to do
 */
export function openClone(folder: string): Clone {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new Error(`There is no folder ${folder}. Clone the repository first.`)
  const inFolder = openGit(folder)
  const top = trim(inFolder('rev-parse', '--show-toplevel') ?? inFolder('rev-parse', '--absolute-git-dir'))
  if (top === '')
    throw new Error(
      existsSync(join(folder, '.git'))
        ? `Git cannot read the repository in ${folder}. If another user owns the folder, this command allows it:\n  git config --global --add safe.directory ${quote(folder)}`
        : `${folder} is no clone of a git repository.`,
    )
  // In another folder of the clone, Git would list only the files in that folder.
  const git = openGit(top)
  const place = findBranch(git, folder)
  const [, repository] = /[:/]([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/.exec(trim(git('remote', 'get-url', 'origin'))) ?? []
  const name = basename(top).replace(/[^\w.-]+/g, '-')
  return {
    folder: top,
    git,
    repository: repository ?? `acme/${name}`,
    ...place,
    listFiles: () => git('ls-tree', '-r', '-z', '--name-only', place.ref)?.split('\0').filter(Boolean) ?? [],
  }
}

const NOREPLY = /^(?:\d+\+)?([\w-]+(?:\[bot\])?)@users\.noreply\.github\.com$/i

/** What workflows commit with, which are no addresses of the bot's account (actions/checkout#1184). */
const WORKFLOW_MAIL = /^(?:github-)?actions?@github\.com$/i

/** The account of a name and a mail address. A clone does not know accounts, so the login of most people is their name. */
function toAccount(name: string, mail: string): ClonedCommit['author'] {
  if (mail === 'noreply@github.com') return { name, login: 'web-flow', type: 'User' }
  if (WORKFLOW_MAIL.test(mail)) return { name, login: 'github-actions[bot]', type: 'Bot' }
  const login = NOREPLY.exec(mail)?.[1] ?? (name.replace(/[^\w[\]-]+/g, '-').toLowerCase() || mail)
  const isBot = login.endsWith('[bot]') || mail.includes('[bot]@')
  return { name, login: isBot && !login.endsWith('[bot]') ? `${login}[bot]` : login, type: isBot ? 'Bot' : 'User' }
}

const FIELDS = ['%H', '%P', '%ct', '%an', '%ae', '%cn', '%ce', '%B'].join('%x1f')

function parseCommits(log: string): readonly ClonedCommit[] {
  return log.split('\x1e').flatMap((record): ClonedCommit[] => {
    const [sha = '', parents = '', at = '', name = '', mail = '', byName = '', byMail = '', message = ''] =
      record.split('\x1f')
    // Not the rest of a message that contains a separator (gitkraken/vscode-gitlens#5659).
    if (!/^[0-9a-f]{40,64}$/.test(sha)) return []
    return [
      {
        sha,
        parents: parents.split(' ').filter(Boolean),
        author: toAccount(name, mail),
        committer: toAccount(byName, byMail),
        committedAtMs: Number(at) * 1_000,
        message: message.trimEnd(),
      },
    ]
  })
}

/** Parses `git log --raw -z`: the changed files by commit. */
function parseFiles(log: string): ReadonlyMap<string, Push['files']> {
  const files = new Map<string, Map<string, FileChange>>()
  let current = new Map<string, FileChange>()
  const tokens = log.split('\0')
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] ?? ''
    const [, sha] = /\x1e([0-9a-f]{40,64})/.exec(token) ?? []
    if (sha !== undefined) files.set(sha, (current = new Map<string, FileChange>()))
    const [, oldMode = '', newMode = '', before = '', after = ''] =
      /:(\d{6}) (\d{6}) ([0-9a-f]+) ([0-9a-f]+) [A-Z]\d*$/.exec(token) ?? []
    if (oldMode !== '')
      current.set(tokens[++at] ?? '', { before: `${oldMode} ${before}`, after: `${newMode} ${after}` })
  }
  return files
}

/** Commits that a first-parent commit brought: those that no earlier one has. */
function listBrought(
  push: ClonedCommit,
  bySha: ReadonlyMap<string, ClonedCommit>,
  seen: Set<string>,
): readonly ClonedCommit[] {
  const found = new Set<string>()
  for (const next = [push.sha]; next.length > 0;) {
    const sha = next.pop() ?? ''
    const commit = bySha.get(sha)
    if (commit === undefined || seen.has(sha)) continue
    seen.add(sha)
    found.add(sha)
    next.push(...commit.parents)
  }
  // The log is oldest first.
  return [...found].map((sha) => bySha.get(sha) ?? push).reverse()
}

/** Git's id of a tree without files. */
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

/**
 * Reads the pushes to the default branch in a span, oldest first.
 * @throws Error if the clone does not have them
 */
export function readPushes({ git, ref, folder }: Clone, sinceMs: number, untilMs = Infinity): readonly Push[] {
  if (trim(git('rev-parse', '--is-shallow-repository')) === 'true')
    throw new Error(
      `${folder} is a shallow clone, which lacks the history. This command completes it:\n  git -C ${quote(folder)} fetch --unshallow`,
    )
  // `--since` ends the walk at the first older commit, as GitHub's own list of commits does.
  const since = `--since=@${Math.floor(sinceMs / 1_000)}`
  const first = ['log', '--first-parent', '--reverse', since]
  const mainline = parseCommits(git(...first, `--format=%x1e${FIELDS}`, ref) ?? '')
  const [oldest] = mainline
  if (oldest === undefined) return []
  const before = oldest.parents[0]
  const range = before === undefined ? [ref] : [ref, `^${before}`]
  const all = parseCommits(git('log', '--topo-order', '--reverse', `--format=%x1e${FIELDS}`, ...range) ?? '')
  const raw = ['-m', '--root', '--raw', '-z', '--no-renames', '--no-abbrev', '--no-ext-diff', '--format=%x1e%H']
  const changes = git(...first, ...raw, ref)
  if (changes === undefined)
    throw new Error(
      `The changed files could not be read from ${folder}. A partial clone lacks them: make a full clone.`,
    )
  const files = parseFiles(changes)
  const bySha = new Map(all.map((commit) => [commit.sha, commit]))
  const seen = new Set<string>()
  let latestMs = sinceMs
  return mainline.map((commit) => {
    // Clocks differ: a commit is pushed neither before its parent, nor in the future.
    if (commit.committedAtMs <= untilMs) latestMs = Math.max(latestMs, commit.committedAtMs)
    return {
      ...commit,
      committedAtMs: latestMs,
      before: commit.parents[0] ?? EMPTY_TREE,
      commits: listBrought(commit, bySha, seen),
      files: files.get(commit.sha) ?? new Map<string, FileChange>(),
    }
  })
}

/** When the newest commit was made. */
export function readNewestTimeMs({ git, ref }: Clone): number {
  return Number(trim(git('log', '-1', '--format=%ct', ref))) * 1_000
}
