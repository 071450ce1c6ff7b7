/** Orders tags by their versions: a prefix, and a version as in Semantic Versioning (semver.org). */
import type { Tag } from '../../github/commits.ts'

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
 * Returns the tags that may precede a tag, the highest first: those with the same prefix and a lower version. A version without a
 * pre-release part follows versions without one, so that its range includes the pre-releases between the two.
 */
export function findPrecedingTags<T extends Pick<Tag, 'name'>>(tag: string, tags: readonly T[]): readonly T[] {
  const version = parseVersion(tag)
  if (version === undefined) return []
  const candidates = tags.flatMap((other) => {
    const parsed = parseVersion(other.name)
    if (parsed?.prefix !== version.prefix || compareVersions(parsed, version) >= 0) return []
    return version.preRelease.length > 0 || parsed.preRelease.length === 0 ? [{ other, parsed }] : []
  })
  return candidates.toSorted((one, other) => compareVersions(other.parsed, one.parsed)).map(({ other }) => other)
}
