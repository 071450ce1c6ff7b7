/** @typedef {import('./mutants.mjs').Mutant} Mutant */

/** @type {readonly Mutant[]} */
export const mutantsOfTheHandOff = [
  {
    name: 'none-at-first-sight',
    sentence: 'A pull request whose checks are not registered yet counts as one that has none.',
    file: 'src/agent/hand-off/checks-verdict.ts',
    find: 'const DISCOVERY_MS = 60_000',
    replace: 'const DISCOVERY_MS = 0',
    tests: ['__tests__/agent/hand-off/checks-verdict.test.ts'],
  },
  {
    name: 'renames-on-one-side',
    sentence: 'A file that was renamed counts only where it is now.',
    file: 'src/agent/change/path-filter.ts',
    find: 'return previousPath === undefined ? [path] : [path, previousPath]',
    replace: 'return [path]',
    tests: ['__tests__/agent/change/path-filter.test.ts'],
  },
  {
    name: 'anybody-marks',
    sentence: 'Everybody who comments can claim that a pull request is ours.',
    file: 'src/github/pull-request-marks.ts',
    find: "user?.type === 'Bot' || TRUSTED.includes(author_association)",
    replace: 'user !== undefined && author_association !== undefined',
    tests: ['__tests__/github/pull-request-marks.test.ts'],
  },
  {
    name: 'endless-connections',
    sentence: 'A connection that is lost at once is opened again without end.',
    file: 'src/service/dispatcher.ts',
    find: 'const MAX_CONNECTIONS = 3',
    replace: 'const MAX_CONNECTIONS = 1_000',
    tests: ['__tests__/faults/proxy-faults.test.ts'],
  },
]
