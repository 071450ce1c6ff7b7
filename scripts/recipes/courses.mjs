import { MAINTAINER } from '../../src/emulator/github/demo-state.ts'
import { mergePull, pushCommit } from '../../src/emulator/github/repository-events.ts'

/**
 * @typedef {import('./checks.mjs').Run} Run
 * @typedef {import('./checks.mjs').Check['then']} Then
 */

/**
 * Somebody changes a file.
 *
 * @param {string} filename
 * @param {{ repository?: string, branch?: string }} [where]
 * @returns {Extract<Run['event'], Function>} gives the payload of the push
 */
export function pushed(filename, { repository = 'acme/docs', branch = 'main' } = {}) {
  return ({ repositories, users }) => {
    const here = repositories[repository]
    if (here === undefined) throw new Error(`There is no ${repository}.`)
    const before = here.branches[branch]
    const message = `Change ${filename}`
    const files = [{ filename, patch: '@@ -1 +1 @@\n-a\n+b' }]
    const { sha } = pushCommit(here, branch, { message, author: MAINTAINER, files }, 0)
    const person = { username: MAINTAINER }
    return {
      ...{ ref: `refs/heads/${branch}`, before, after: sha, sender: { login: MAINTAINER, ...users[MAINTAINER] } },
      commits: [{ id: sha, message, author: person, committer: person }],
      repository: { full_name: repository, default_branch: here.defaultBranch },
    }
  }
}

/**
 * Somebody merges a pull request, which changes nothing else.
 *
 * @param {number} number
 * @returns {Extract<Run['event'], Function>} gives the payload of the push
 */
export function merged(number) {
  return ({ repositories, users }) => {
    const here = repositories['acme/docs']
    const before = here?.branches['main']
    const made = here && mergePull(here, number, 'squash', MAINTAINER, 0)
    if (here === undefined || made === undefined) throw new Error(`Pull request ${number} cannot be merged.`)
    const person = { username: MAINTAINER }
    return {
      ...{ ref: 'refs/heads/main', before, after: made.sha, sender: { login: MAINTAINER, ...users[MAINTAINER] } },
      commits: [{ id: made.sha, message: made.message, author: person, committer: person }],
      repository: { full_name: 'acme/docs', default_branch: 'main' },
    }
  }
}

/** A run that has nothing to send, and is green. */
export const SKIPPED = /** @type {const} */ ({
  conclusion: 'success',
  prompts: [],
  summary: ['Skipped, nothing to do'],
})

/**
 * A run that GitHub knows from the start, and that the next one looks back to.
 *
 * @param {string} workflow
 * @param {string} headSha
 * @param {string} event
 * @returns {import('../../src/emulator/github/check-state.ts').WorkflowRun}
 */
export function succeeded(workflow, headSha, event) {
  const end = /** @type {const} */ ({ status: 'completed', conclusion: 'success' })
  return { id: 41, workflow, branch: 'main', headSha, event, createdAtMs: 0, ...end }
}

/** A run that has to be red before anything is sent. */
export const NO_KEY = /** @type {const} */ ({ secrets: 'withheld', expected: { conclusion: 'failure', prompts: [] } })

/**
 * Two changes: the run of the first one is red, and that of the second one has to tell both.
 *
 * @param {readonly [string, string]} files
 * @param {Omit<Run['expected'], 'conclusion' | 'told'>} expected of the second run
 * @param {Parameters<typeof pushed>[1]} [where]
 * @returns {NonNullable<Then>}
 */
export function redThenGreen([missed, next], expected, where) {
  return [
    { ...NO_KEY, event: pushed(missed, where) },
    { event: pushed(next, where), expected: { conclusion: 'success', told: [missed, next], ...expected } },
  ]
}
