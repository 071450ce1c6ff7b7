import { expect, test } from '@jest/globals'
import { canName, visibilitySchema, type Visibility } from '../../src/github/schemas.ts'

const ALL: readonly (Visibility | undefined)[] = ['public', 'private', 'internal', undefined]

test('text may name a source that is public, or that has the known visibility of the target', () => {
  const named = ALL.flatMap((source) =>
    ALL.filter((target) =>
      canName({ repository: 'acme/code', visibility: source }, { repository: 'acme/docs', visibility: target }),
    ).map((target) => `${source ?? 'unknown'} in ${target ?? 'unknown'}`),
  )
  expect(named).toEqual([
    'public in public',
    'public in private',
    'public in internal',
    'public in unknown',
    'private in private',
    'internal in internal',
    'unknown in private',
  ])
})

test('a repository may always name itself, in upper or lower case', () => {
  expect(canName({ repository: 'acme/docs', visibility: 'private' }, { repository: 'Acme/Docs' })).toBe(true)
})

test.each<[object, Visibility | undefined]>([
  [{ visibility: 'internal', private: true }, 'internal'],
  [{ visibility: 'public', private: false }, 'public'],
  [{ private: false }, 'public'],
  [{ private: true }, undefined],
  [{ visibility: 'secret', private: null }, undefined],
  [{}, undefined],
])('the visibility of %j is %s', (repository, visibility) => {
  expect(visibilitySchema.parse(repository)).toBe(visibility)
})
