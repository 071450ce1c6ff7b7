import { nextPollMs } from '../../../src/agent/job/poll-schedule.ts'

/**
 * When to look at a job.
 * @typedef {object} Policy
 * @property {string} name
 * @property {(elapsedS: number, looks: number, random: number) => number} nextS the pause before the next look
 * @property {number} tailS what is slept once more after the job was seen to have ended
 */

/** @type {Policy} */
export const OURS = {
  name: 'this action',
  nextS: (elapsedS, reads, random) =>
    nextPollMs(undefined, { elapsedMs: elapsedS * 1000, reads, waitMs: 0, giveWayMs: 0, random }) / 1000,
  tailS: 0,
}

/**
 * @param {number} seconds
 * @returns {Policy}
 */
const fixed = (seconds, tailS = 0) => ({
  name: tailS === 0 ? `fixed ${seconds} s` : `fixed ${seconds} s, ${tailS} s more after the end`,
  nextS: () => seconds,
  tailS,
})

/**
 * What well-known actions and client libraries do.
 * @type {Policy[]}
 */
export const PEERS = [
  fixed(2),
  fixed(5),
  fixed(10),
  fixed(15),
  fixed(10, 10),
  fixed(30, 15),
  { name: 'exponential, 2 to 120 s', nextS: (_elapsedS, looks) => Math.min(2 * 2 ** looks, 120), tailS: 0 },
  { name: 'times 1.3, 1 to 60 s', nextS: (_elapsedS, looks) => Math.min(1.3 ** looks, 60), tailS: 0 },
]
