/** A distribution of job durations, on a grid of time. */
export interface Distribution {
  readonly name: string
  /** The grid, in seconds. */
  readonly stepS: number
  /** The probability that a job ends within a step; the probabilities add up to 1. */
  readonly density: Float64Array
}

/** The cumulative distribution function, in seconds. */
type EndedBy = (seconds: number) => number

/** The standard normal distribution up to x (Abramowitz and Stegun 7.1.26, error below 1.5e-7). */
function getNormalShare(x: number): number {
  const t = 1 / (1 + (0.3275911 * Math.abs(x)) / Math.SQRT2)
  const polynomial = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
  const erf = 1 - polynomial * Math.exp((-x * x) / 2)
  return x < 0 ? (1 - erf) / 2 : (1 + erf) / 2
}

function lognormal(medianS: number, sigma = 0.8): EndedBy {
  return (seconds) => (seconds <= 0 ? 0 : getNormalShare(Math.log(seconds / medianS) / sigma))
}

/** The probability of longer durations, which are left out. */
const TAIL = 1e-4

function onGrid(name: string, stepS: number, endedBy: EndedBy): Distribution {
  const density: number[] = []
  for (let endS = stepS; endedBy(endS - stepS) < 1 - TAIL; endS += stepS)
    density.push(endedBy(endS) - endedBy(endS - stepS))
  const sum = density.reduce((total, share) => total + share, 0)
  return { name, stepS, density: Float64Array.from(density, (share) => share / sum) }
}

const short = lognormal(60)
const long = lognormal(900)

/** Sigma of the lognormal distributions is 0.8. */
export const DISTRIBUTIONS: readonly Distribution[] = [
  onGrid('Lognormal, median 60 s', 0.25, short),
  onGrid('Lognormal, median 240 s', 1, lognormal(240)),
  onGrid('Lognormal, median 900 s', 2, long),
  onGrid('60% median 60 s, 40% median 900 s', 1, (seconds) => 0.6 * short(seconds) + 0.4 * long(seconds)),
  onGrid('Uniform, 5 to 3600 s', 2, (seconds) => Math.min(Math.max((seconds - 5) / 3595, 0), 1)),
]
