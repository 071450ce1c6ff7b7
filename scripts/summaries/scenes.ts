/** One summary of the page: what the reader sees, and the flags of `npm start` that show the same. */
export interface Scene {
  readonly shows: string
  readonly flags: string
}

export const SCENES: readonly Scene[] = [
  { shows: 'A new job, from the push to a pull request', flags: '' },
  { shows: 'A follow-up to an open pull request', flags: '--scenario open-pull-request' },
  { shows: 'Failed checks that the agent fixed', flags: '--scenario fixed' },
  { shows: 'Checks that failed', flags: '--scenario checks-fail' },
  { shows: 'A file outside `allowed-paths`', flags: '--scenario out-of-scope' },
  { shows: 'A token without permissions', flags: '--scenario no-permission' },
  { shows: 'A job that changed nothing', flags: '--scenario no-changes' },
  { shows: 'A job that failed', flags: '--scenario failed' },
  { shows: 'A job that was archived', flags: '--scenario archived' },
  { shows: 'A job that did not finish in time', flags: '--scenario slow' },
  { shows: 'A follow-up that the agent never started', flags: '--scenario never-starts --prompt More.' },
  { shows: 'A step that does not wait', flags: '--input wait=false' },
  { shows: 'A run that was cancelled', flags: '--scenario slow --cancel-after 60' },
  { shows: 'A change outside `paths`', flags: '--input "paths=lib/**"' },
  { shows: 'A prompt that the service may have accepted', flags: '--scenario lost-answer' },
  { shows: 'A key that was revoked while the step waited', flags: '--scenario unauthorized-later' },
  { shows: 'A missing prompt', flags: '--prompt=' },
  {
    shows: 'Visitors of 30 days, compared with the 30 days before, and a trend over 12 periods',
    flags: '--action visitors --input days=30 --input top=5 --input compare=pages --input trend=12',
  },
]
