import { expect, test } from '@jest/globals'
import { splitRepository } from '../../src/github/repository-name.ts'

test('takes a name apart', () => {
  expect(splitRepository('acme/docs')).toEqual({ owner: 'acme', repo: 'docs' })
})
