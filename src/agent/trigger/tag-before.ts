/** What stands before the version in a tag: `v` in `v1.2.3`, `cli@` in `cli@1.2.3`. */
const prefixOf = (tag: string): string => tag.replace(/\d.*$/s, '')

/** `v1.2.0-rc.1`, `1.2.0b2` */
const isPreRelease = (tag: string): boolean => /\d-?[a-z]/i.test(tag.slice(prefixOf(tag).length))

/**
 * The tags that may be the one before, the likeliest first: of the same kind, with a lower version. A release comes after
 * the last release, and what was tried out between the two is a part of it.
 */
export function findTagsBefore(tag: string, tags: readonly string[]): readonly string[] {
  // Made here, as making one takes longer than all else that a step does before its first request.
  const byVersion = new Intl.Collator('en', { numeric: true })
  return tags
    .filter((other) => prefixOf(other) === prefixOf(tag) && byVersion.compare(other, tag) < 0)
    .filter((other) => isPreRelease(tag) || !isPreRelease(other))
    .toSorted((one, other) => byVersion.compare(other, one))
}
