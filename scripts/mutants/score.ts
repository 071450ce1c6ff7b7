/** The accepted probability that a sample fails by chance. */
const MAX_CHANCE = 0.01

/** The logarithm of n over k. */
function logBinomial(n: number, k: number): number {
  let sum = 0
  for (let index = 1; index <= k; index++) sum += Math.log(n - k + index) - Math.log(index)
  return sum
}

/**
 * Returns the least number of mutants of a random sample that the tests have to kill. If they kill the expected share of all
 * mutants, they kill fewer than this number in less than one of a hundred samples.
 * @param score the expected share, between 0 and 1
 */
export function getLeastKilled(sample: number, score: number): number {
  let chance = 0
  for (let killed = 0; killed <= sample; killed++) {
    chance += Math.exp(logBinomial(sample, killed) + killed * Math.log(score) + (sample - killed) * Math.log(1 - score))
    if (chance >= MAX_CHANCE) return killed
  }
  return sample
}
