import { emptyRepository, type RepositoryState } from './release-server.ts'

/** A step of a release that must not change anything, because a guard in `.ci/release` stops it. */
export interface Guard {
  /** What the guard prevents. */
  readonly what: string
  readonly step: 'publish' | 'move-major'
  readonly isGreen: boolean
  /** A part of the step's log. */
  readonly logText: string
  readonly state: RepositoryState
}

type Release = RepositoryState['releases'][number]

const OTHER_COMMIT = 'b'.repeat(40)
const SUMS = { name: 'SHA256SUMS', state: 'uploaded', sha256: '' } as const

/**
 * @param tag of the release, at `head`
 * @param digests of all files that have to be attested
 */
export function listGuards(tag: string, head: string, digests: readonly string[]): readonly Guard[] {
  const [major = ''] = tag.split('.')
  const release = (id: number, given: Partial<Release> = {}): Release => ({
    id,
    tag_name: tag,
    draft: false,
    assets: [{ ...SUMS, id: 100 + id }],
    ...given,
  })
  const build = (
    releases: readonly Release[],
    {
      tags = {},
      attested = digests,
    }: { readonly tags?: Readonly<Record<string, string>>; attested?: readonly string[] },
  ): RepositoryState => {
    const all = { [tag]: head, [major]: OTHER_COMMIT, ...tags }
    return { ...emptyRepository(all), releases: [...releases], attested: new Set(attested) }
  }
  const red = { isGreen: false } as const
  const green = { isGreen: true } as const
  const unattested = { ...red, logText: 'dist/ has no attestation' }
  const incomplete = { ...red, logText: 'is not published with its asset' }
  return [
    {
      what: 'publishes dist/ without an attestation',
      step: 'publish',
      ...unattested,
      state: build([], { attested: [] }),
    },
    {
      what: 'publishes dist/ with a file that is not attested',
      step: 'publish',
      ...unattested,
      state: build([], { attested: digests.slice(0, -1) }),
    },
    {
      what: 'publishes another commit than that of the tag',
      step: 'publish',
      ...red,
      logText: 'is not at the commit of this run',
      state: build([], { tags: { [tag]: OTHER_COMMIT } }),
    },
    {
      what: 'adds the asset to a published release',
      step: 'publish',
      ...red,
      logText: 'cannot be changed any more',
      state: build([release(1, { assets: [] })], {}),
    },
    {
      what: 'publishes a second draft of a published release',
      step: 'publish',
      ...green,
      logText: `${tag} is published.`,
      state: build([release(1, { draft: true }), release(2)], {}),
    },
    { what: 'moves the major tag without a release', step: 'move-major', ...incomplete, state: build([], {}) },
    {
      what: 'moves the major tag to a draft',
      step: 'move-major',
      ...incomplete,
      state: build([release(1, { draft: true })], {}),
    },
    {
      what: 'moves the major tag to a release without its asset',
      step: 'move-major',
      ...incomplete,
      state: build([release(1, { assets: [] })], {}),
    },
    {
      what: 'moves the major tag to a release whose asset broke off',
      step: 'move-major',
      ...incomplete,
      state: build([release(1, { assets: [{ ...SUMS, id: 101, state: 'starter' }] })], {}),
    },
    {
      what: 'moves the major tag to a release without an attestation',
      step: 'move-major',
      ...unattested,
      state: build([release(1)], { attested: [] }),
    },
    {
      what: 'takes the major tag back to an older version',
      step: 'move-major',
      ...green,
      logText: `${major}.10.0 is newer`,
      state: build(
        [release(1), release(2, { tag_name: `${major}.9.0` }), release(3, { tag_name: `${major}.10.0` })],
        {},
      ),
    },
  ]
}
