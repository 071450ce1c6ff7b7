import type { Check } from '../../github/checks.ts'

/** Of several checks with one name, by one app, the newest. */
export function newestChecks(checks: readonly Check[]): readonly Check[] {
  const newest = new Map<string, Check>()
  for (const check of checks) {
    const key = `${check.app ?? ''} ${check.name}`
    if ((check.id ?? 0) >= (newest.get(key)?.id ?? 0)) newest.set(key, check)
  }
  return [...newest.values()]
}

export function failedChecks(checks: readonly Check[]): readonly Check[] {
  return newestChecks(checks).filter(({ state }) => state === 'failure')
}

/**
 * The checks that failed because of what a pull request changes.
 * @param before those of the commit that its branch came from: what failed there under the same name does not count
 */
export function failedByChange(failed: readonly Check[], before: readonly Check[]): readonly Check[] {
  const wasRed = new Set(failedChecks(before).map(({ name }) => name))
  return failed.filter(({ name }) => !wasRed.has(name))
}
