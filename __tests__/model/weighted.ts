import fc from 'fast-check'

/** Draws from one of several arbitraries, in proportion to their weights. */
export const weighted = <T>(
  ...choices: readonly (readonly [weight: number, arbitrary: fc.Arbitrary<T>])[]
): fc.Arbitrary<T> => fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })))

/** Draws the usual value `weight` times as often as one of the others. */
export const mostly = <T>(usual: T, weight: number, others: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  weighted([weight, fc.constant(usual)], [1, others])

export const between = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max })
export const upTo = (max: number): fc.Arbitrary<number> => between(0, max)
