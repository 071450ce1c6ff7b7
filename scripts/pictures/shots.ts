export interface Shot {
  /** The file name without `-light.png` and `-dark.png`. */
  readonly name: string
  /** Flags of `npm start`. */
  readonly flags: string
  /** The job summary, the page of the pull request, or the screen of a replay. */
  readonly of: 'summary' | 'page' | 'screen'
  /** The beginning of the first line that is not in the picture. */
  readonly until: string
}

/** The table of facts at the end. */
const FACTS = '<table>\n<tr><td><b>Triggered by'

export const SHOTS: readonly Shot[] = [
  { name: 'fixed', flags: '--scenario fixed', of: 'summary', until: FACTS },
  { name: 'conversation', flags: '--scenario rolling', of: 'page', until: '<section>\n<h2>Checks' },
  { name: 'report', flags: '--action report', of: 'summary', until: '### By the week' },
  {
    name: 'history',
    flags: '--workflow docs.yml --history code --price 1.80',
    of: 'screen',
    until: 'Assumed: ',
  },
  { name: 'may-exist', flags: '--scenario lost-answer', of: 'summary', until: FACTS },
]
