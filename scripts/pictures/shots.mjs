/**
 * One picture: a run, and how much of its summary to show.
 *
 * @typedef {object} Shot
 * @property {string} name of its files, without `-light.png` and `-dark.png`
 * @property {readonly string[]} flags those of `npm start`
 * @property {'success' | 'failure'} conclusion that the run must have
 * @property {string} [until] the heading before which the picture ends; by default it shows the whole summary
 */

/** @type {readonly Shot[]} */
export const SHOTS = [
  { name: 'summary', flags: [], conclusion: 'success', until: 'Time line' },
  { name: 'failed', flags: ['--scenario', 'failed'], conclusion: 'failure', until: 'Time line' },
  {
    name: 'timed-out',
    flags: ['--scenario', 'slow', '--input', 'timeout-minutes=10', '--speed', '60'],
    conclusion: 'failure',
    until: 'Time line',
  },
  { name: 'may-exist', flags: ['--scenario', 'lost-answer'], conclusion: 'failure' },
  {
    name: 'visitors',
    flags: ['--action', 'visitors', '--input', 'days=30', '--input', 'top=5'],
    conclusion: 'success',
    until: 'The export',
  },
]
