import { expect, test } from '@jest/globals'
import * as fc from 'fast-check'
import { beginningOf, renderSections } from '../../../src/agent/prompt/sections.ts'
import { SEED } from '../../support/seed.ts'

const section = (text: string) => ({
  name: 'a text',
  sentence: 'Look at this:',
  bodyOf: (maxBytes: number) => beginningOf(text, maxBytes),
})

test('whatever they say, they keep to the budget, are whole text, and nothing inside ends a fence', () => {
  const any = fc.string({ unit: 'binary', maxLength: 2_000, size: 'max' })
  const text = fc.oneof(any, fc.stringMatching(/^[`\n#[\]é😀 ]{0,500}$/))
  const some = fc.array(text, { minLength: 1, maxLength: 2, size: 'max' })
  fc.assert(
    fc.property(some, fc.integer({ min: 512, max: 3_000 }), (texts, bytes) => {
      const { text: told } = renderSections(texts.map(section), bytes)
      expect(Buffer.byteLength(told)).toBeLessThanOrEqual(bytes)
      expect(told.isWellFormed()).toBe(true)
      const sections = told.split('\n\nLook at this:\n').slice(1)
      expect(sections).toHaveLength(texts.length)
      for (const one of sections) expect(one.split(/^(`{4,})text$/m.exec(one)?.[1] ?? '')).toHaveLength(3)
    }),
    { numRuns: 300, seed: SEED },
  )
})

test('what a section leaves of its share is for the next one, and what does not fit is not told', () => {
  const long = section('x\n'.repeat(5_000))
  const { text, description } = renderSections([section('short'), long], 2_000)
  expect(Buffer.byteLength(text)).toBeGreaterThan(1_900)
  expect(text).toContain('Left out: the rest of these texts.')
  expect(description).toMatch(/^Added to the prompt: a text, and a text \(\d+ of at most 2000 bytes\)\.$/)
  expect(renderSections([long], 100)).toEqual({
    text: '',
    description: 'Added to the prompt: nothing (0 of at most 100 bytes).',
  })
})
