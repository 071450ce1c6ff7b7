/** Orders tags by their versions: a prefix, and a version as in Semantic Versioning (semver.org). */
interface Version {
  /** All that stands before the version: `v`, `cli-v`, `@acme/cli@`. */
  readonly prefix: string
  readonly numbers: readonly number[]
  /** Empty for a version without a pre-release part. */
  readonly preRelease: readonly string[]
}

const NUMBER = String.raw`(0|[1-9]\d*)`
const IDENTIFIERS = String.raw`[\da-z-]+(?:\.[\da-z-]+)*`
/** Build metadata, after `+`, has no precedence. */
const VERSION = new RegExp(
  String.raw`^(|.*?[^\d.])${NUMBER}\.${NUMBER}\.${NUMBER}(?:-(${IDENTIFIERS}))?(?:\+${IDENTIFIERS})?$`,
  'i',
)

function parseVersion(tag: string): Version | undefined {
  const [, prefix, major, minor, patch, preRelease] = VERSION.exec(tag) ?? []
  if (prefix === undefined) return undefined
  return { prefix, numbers: [major, minor, patch].map(Number), preRelease: preRelease?.split('.') ?? [] }
}

/** SemVer, section 11.4: numbers compare by value and are lower than words, which compare in ASCII order. */
function compareIdentifiers(one: string, other: string): number {
  const [a, b] = [one, other].map((text) => (/^\d+$/.test(text) ? Number(text) : text))
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1
  return one === other ? 0 : one < other ? -1 : 1
}

/** SemVer, section 11. */
function compareVersions(one: Version, other: Version): number {
  for (const [at, number] of one.numbers.entries())
    if (number !== other.numbers[at]) return number - (other.numbers[at] ?? 0)
  const [a, b] = [one.preRelease, other.preRelease]
  if (a.length === 0 || b.length === 0) return b.length - a.length
  for (const [at, identifier] of a.entries()) {
    const compared = compareIdentifiers(identifier, b[at] ?? identifier)
    if (compared !== 0) return compared
  }
  return a.length - b.length
}

/**
 * Returns the tag with the same prefix and the next lower version. A version without a pre-release part follows versions without
 * one, so that its range includes the pre-releases between the two.
 */
export function findPrecedingTag(tag: string, tags: readonly string[]): string | undefined {
  const version = parseVersion(tag)
  if (version === undefined) return undefined
  const candidates = tags.flatMap((name) => {
    const other = parseVersion(name)
    if (other?.prefix !== version.prefix || compareVersions(other, version) >= 0) return []
    return version.preRelease.length > 0 || other.preRelease.length === 0 ? [{ name, ...other }] : []
  })
  return candidates.toSorted(compareVersions).at(-1)?.name
}
