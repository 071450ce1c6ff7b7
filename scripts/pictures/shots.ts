export interface Shot {
  /** Of its files, without `-light.png` and `-dark.png`. */
  readonly name: string
  /** Those of `npm start`. */
  readonly flags: string
  /** The job summary, or the page of the pull request. */
  readonly of: 'summary' | 'page'
  /** A text of it that begins a line, before which the picture ends. */
  readonly until: string
}

/** The facts of the job, which stand below what the reader is to see. */
const FACTS = '<table>\n<tr><td><b>Triggered by'
const VISITORS = '--action visitors --input days=30 --input top=5 --input compare=true --input trend=12'

export const SHOTS: readonly Shot[] = [
  { name: 'summary', flags: '', of: 'summary', until: FACTS },
  { name: 'mended', flags: '--scenario mended', of: 'summary', until: FACTS },
  { name: 'conversation', flags: '--scenario rolling', of: 'page', until: '<section>\n<h2>Checks' },
  { name: 'may-exist', flags: '--scenario lost-answer', of: 'summary', until: FACTS },
  { name: 'visitors', flags: VISITORS, of: 'summary', until: '<table>\n<tr><th>Period' },
]
