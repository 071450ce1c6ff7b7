import type { MergeMethod } from '../../../src/emulator/github/pull-state.ts'

type Texts = Readonly<Record<string, string>>

/** What `gh pr merge` asks GitHub to do. */
export interface Merge {
  /** `owner/name` */
  readonly repository: string
  readonly number: number
  readonly method: MergeMethod
  /** The head commit that may be merged. By default any. */
  readonly sha: string | undefined
  /** Whether GitHub waits until the requirements are met. */
  readonly isAuto: boolean
}

const METHODS = ['merge', 'squash', 'rebase'] as const

/**
 * Finds the merge in a script, whatever its other lines do.
 * @param env the variables in it
 * @param repository where a pull request is that is named by its number
 * @returns undefined if there is none, or if it does not name its pull request
 */
export function findMerge(script: string, env: Texts, repository: string): Merge | undefined {
  const filled = script
    .replaceAll('\\\n', ' ')
    .replaceAll(
      /\$(?:\{(\w+)\}|(\w+))/g,
      (whole, braced?: string, plain?: string) => env[braced ?? plain ?? ''] ?? whole,
    )
  const [, command] = /^(?!\s*(?:#|echo\b)).*\bgh pr merge\b(.*)/m.exec(filled) ?? []
  if (command === undefined) return undefined
  const [, linked = repository, link, plain] =
    /([\w.-]+\/[\w.-]+)\/pull\/(\d+)|(?<=["'\s])(\d+)(?=["'\s]|$)/.exec(command) ?? []
  const number = Number(link ?? plain)
  if (Number.isNaN(number)) return undefined
  const has = (flag: string): boolean => new RegExp(String.raw`\s${flag}\b`).test(command)
  return {
    repository: linked,
    number,
    method: METHODS.find((method) => has(`--${method}`) || has(`-${method[0] ?? ''}`)) ?? 'merge',
    sha: /--match-head-commit[ =]["']?([0-9a-f]{40})/.exec(command)?.[1],
    isAuto: has('--auto'),
  }
}

/**
 * Merges on the embedded GitHub.
 * @param apiUrl the URL of its API
 */
export async function merge(
  { repository, number, method, sha, isAuto }: Merge,
  apiUrl: string,
  token: string,
): Promise<{ readonly isRefused: boolean; readonly text: string }> {
  const response = await fetch(`${apiUrl}/repos/${repository}/pulls/${number}/merge`, {
    method: 'PUT',
    headers: { authorization: `token ${token}` },
    body: JSON.stringify({ merge_method: method, sha }),
  })
  if (response.ok) return { isRefused: false, text: `merged #${number}` }
  if (isAuto && response.status === 405) return { isRefused: false, text: `auto-merge of #${number} is on` }
  const { message } = (await response.json()) as { readonly message: string }
  return { isRefused: true, text: `GitHub refuses to merge #${number}: ${message}` }
}
