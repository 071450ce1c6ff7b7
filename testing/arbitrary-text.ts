import fc from 'fast-check'

/** Draws any characters. fast-check's own `unit: 'binary'` builds a table of all of them first. */
export const arbitraryText = (maxLength: number): fc.Arbitrary<string> =>
  fc
    .array(fc.integer({ min: 0, max: 0x10_ff_ff }), { maxLength, size: 'max' })
    .map((points) => String.fromCodePoint(...points).toWellFormed())
