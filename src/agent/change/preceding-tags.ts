/** Orders tags by their versions. Hides which part of a tag is its version, and what precedes a version. */
import type { Tag } from '../../github/commits.ts'

/** A part of a version: numbers are lower than words, and compare by their value. */
type Part = number | string

interface Version {
  /** All that stands before the version: `v`, `cli@`, `@acme/oauth2-server@`. */
  readonly prefix: string
  readonly numbers: readonly number[]
  /** Empty for a version without a pre-release part. */
  readonly preRelease: readonly Part[]
}

/** `1.2.3`, `1_2_3`, or a date. */
const NUMBERS = String.raw`\d{4}-\d\d(?:-\d\d)?(?![\d.])|\d+(?:[._]\d+)*`
/** A version begins the tag, or follows a mark or `v`. Digits in a name, such as those of `i18n` and `oauth2`, begin none. */
const VERSION = new RegExp(String.raw`(?<=(?<mark>^|[^a-z\d.+])(?<v>v?))(?:${NUMBERS})`, 'gi')
/** A name and its version without a mark: `go1.21.0`, `build7`. */
const WITHOUT_MARK = new RegExp(String.raw`(?<=^[a-z_-]*[a-z])(?:${NUMBERS})`, 'i')

/** `1.0.0.Final` is not a pre-release. */
const RELEASE = /^[._-](?:final|ga|release)$/i

/** Returns the likeliest version in a tag: one with a dot, and one after `v`, `@` or `/`. Names can contain numbers, too. */
function findVersion(tag: string): RegExpExecArray | undefined {
  const found = [...tag.matchAll(VERSION)]
  const dotted = found.filter(([numbers]) => /\D/.test(numbers))
  const isMarked = ({ groups: { mark = '', v = '' } = {} }: RegExpExecArray): boolean => v !== '' || /[@/]/.test(mark)
  const marked = (dotted.length > 0 ? dotted : found).findLast(isMarked)
  return marked ?? dotted[0] ?? found.at(-1) ?? WITHOUT_MARK.exec(tag) ?? undefined
}

const toParts = (text: string): readonly Part[] =>
  (text.match(/\d+|[a-z]+/gi) ?? []).map((part) => (/\d/.test(part) ? Number(part) : part.toLowerCase()))

function parseVersion(tag: string): Version | undefined {
  const found = findVersion(tag)
  if (found === undefined) return undefined
  // Build metadata, after `+`, has no precedence.
  const rest = tag.slice(found.index + found[0].length).replace(/\+.*$/s, '')
  return {
    prefix: tag.slice(0, found.index),
    numbers: found[0].split(/\D/).map(Number),
    preRelease: RELEASE.test(rest) ? [] : toParts(rest),
  }
}

const NONE = -1

/** Numbers are lower than words. A list that begins another one is lower. */
function compareParts(one: readonly Part[], other: readonly Part[]): number {
  for (let at = 0; at < Math.max(one.length, other.length); at++) {
    const [a = NONE, b = NONE] = [one[at], other[at]]
    if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1
    if (a !== b) return a < b ? -1 : 1
  }
  return 0
}

/** By SemVer, except that a number also counts inside of a part, so that `rc10` follows `rc9`. */
function compareVersions(one: Version, other: Version): number {
  const length = Math.max(one.numbers.length, other.numbers.length)
  const pad = ({ numbers }: Version): readonly number[] => Array.from({ length }, (_, at) => numbers[at] ?? 0)
  const byNumbers = compareParts(pad(one), pad(other))
  if (byNumbers !== 0) return byNumbers
  if (one.preRelease.length === 0 || other.preRelease.length === 0)
    return other.preRelease.length - one.preRelease.length
  return compareParts(one.preRelease, other.preRelease)
}

/**
 * Returns the tags that may precede a tag, the likeliest first: those with the same prefix and a lower version. A version without
 * a pre-release part follows versions without one, so that its range includes the pre-releases between the two.
 */
export function findPrecedingTags<T extends Pick<Tag, 'name'>>(tag: string, tags: readonly T[]): readonly T[] {
  const version = parseVersion(tag)
  if (version === undefined) return []
  const candidates = tags.flatMap((other) => {
    const parsed = parseVersion(other.name)
    if (parsed?.prefix !== version.prefix || compareVersions(parsed, version) >= 0) return []
    return version.preRelease.length > 0 || parsed.preRelease.length === 0 ? [{ other, parsed }] : []
  })
  // Of `v1.0.0` and a moving `v1`, the complete version is the likelier one.
  const compare = (one: Version, other: Version): number =>
    compareVersions(other, one) || other.numbers.length - one.numbers.length
  return candidates.toSorted((one, other) => compare(one.parsed, other.parsed)).map(({ other }) => other)
}
