import { expect, test } from '@jest/globals'
import { getLeastKilled } from '../../../scripts/mutants/score.ts'

// By the tables of the binomial distribution: at most 88 of 100 happen at 95% with a chance of 0.0043, at most 89 with 0.0115.
test.each([
  [100, 0.95, 89],
  [100, 0.9, 82],
  [200, 0.95, 182],
  [10, 0.5, 1],
])(
  'of %d mutants at a score of %d, fewer than %d are killed in less than one of a hundred samples',
  (n, score, least) => {
    expect(getLeastKilled(n, score)).toBe(least)
  },
)
