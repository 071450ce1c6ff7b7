/**
 * One picture: a run, and what of it to show.
 *
 * @typedef {object} Shot
 * @property {string} name of its files, without `-light.png` and `-dark.png`
 * @property {string} flags those of `npm start`
 * @property {'summary' | 'page'} [of] by default of the job summary, else of the page of the pull request
 * @property {string} [until] a text of it before which the picture ends; by default it shows the whole
 */

/** The facts of the job, which stand below what the reader is to see. */
const FACTS = '<table>\n<tr><td><b>Triggered by'

/** @type {readonly Shot[]} */
export const SHOTS = [
  { name: 'summary', flags: '', until: FACTS },
  { name: 'mended', flags: '--scenario mended', until: FACTS },
  { name: 'conversation', flags: '--scenario rolling', of: 'page', until: '<section>\n<h2>Checks' },
  { name: 'may-exist', flags: '--scenario lost-answer', until: FACTS },
  {
    name: 'visitors',
    flags: '--action visitors --input days=30 --input top=5 --input compare=true',
    until: '### The export',
  },
]
