import type { Check } from '../../github/commit-checks.ts'

export function failedChecks(checks: readonly Check[]): readonly Check[] {
  return checks.filter(({ state }) => state === 'failure')
}

/**
 * The checks that failed because of what a pull request changes.
 * @param before those of the commit that its branch came from: what failed there under the same name does not count
 */
export function failedByChange(failed: readonly Check[], before: readonly Check[]): readonly Check[] {
  const wasRed = new Set(failedChecks(before).map(({ name }) => name))
  return failed.filter(({ name }) => !wasRed.has(name))
}
