/** The project that the service names when it starts. */
export const DEFAULT_PROJECT_ID = 'docs-demo'

/** How fast the service's time runs, in seconds of its time in one second. */
export const SERVICE_SPEED = 30

/** The step's clock and timers run ten times as fast, so that the usual 10 seconds between two looks at a job take one. */
const TEN_TIMES_FASTER = `
  const [start, now] = [globalThis.setTimeout, performance.now.bind(performance)]
  globalThis.setTimeout = (task, ms, ...args) => start(task, ms / 10, ...args)
  performance.now = () => now() * 10
`

/** @type {Readonly<Record<'real' | 'tenfold', Record<string, string>>>} */
export const TIME_SETTINGS = {
  real: {},
  tenfold: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(TEN_TIMES_FASTER)}` },
}

/**
 * The actions of GitHub that recipes use and that have a stand-in, by `owner/name`.
 *
 * @type {Readonly<Record<string, string>>}
 */
export const STAND_INS = {
  'actions/upload-artifact': 'upload-artifact',
  'actions/download-artifact': 'download-artifact',
  'actions/create-github-app-token': 'create-github-app-token',
}

const OWN = /^your-org\/docs-agent-action$/

/**
 * Which folders the engine takes in the place of repositories.
 *
 * @param {readonly string[]} texts of the workflows
 * @param {{ action: string, standIns: string }} folders
 * @returns {Record<string, string>} by `owner/name@ref`
 */
export function localRepositories(texts, { action, standIns }) {
  const uses = texts.flatMap((text) => [...text.matchAll(/uses: *([\w.-]+\/[\w.-]+)(?:\/[^@\s]+)?@(\S+)/g)])
  return Object.fromEntries(
    uses.flatMap(([, name = '', ref = '']) => {
      const standIn = STAND_INS[name]
      if (OWN.test(name)) return [[`${name}@${ref}`, action]]
      return standIn === undefined ? [] : [[`${name}@${ref}`, `${standIns}/${standIn}`]]
    }),
  )
}
