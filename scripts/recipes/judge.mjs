import { DEFAULT_PROJECT_ID } from './setting.mjs'

/**
 * @typedef {import('./checks.mjs').Expected} Expected
 * @typedef {import('./run-act.mjs').ActResult} ActResult
 */

/**
 * @param {string} line of the service's log
 * @returns {string[]} the request, where it is one that can cost credits and that the service took
 */
function promptIn(line) {
  const [, project = '', rest = ''] = /^POST \/v2\/agent\/([^/]+)\/(\S+) -> 2/.exec(line) ?? []
  if (rest === '') return []
  return [project === DEFAULT_PROJECT_ID ? `POST ${rest}` : `POST ${project} ${rest}`]
}

/**
 * @param {readonly string[]} lines the service's log
 * @returns {string[]}
 */
export function promptsIn(lines) {
  return lines.flatMap(promptIn)
}

/**
 * @param {string} what
 * @param {unknown} wanted
 * @param {unknown} got
 * @returns {string[]}
 */
function compare(what, wanted, got) {
  const [a, b] = [JSON.stringify(wanted), JSON.stringify(got)]
  return a === b ? [] : [`${what}: wanted ${a}, got ${b}`]
}

/**
 * @typedef {object} Seen what others saw of a run
 * @property {readonly string[]} serviceLog
 * @property {readonly string[]} github the operations that GitHub's API was asked for
 * @property {readonly string[]} commands what GitHub's command line was asked
 * @property {string} told all prompts, one after the other
 * @property {readonly string[]} labels of all pull requests
 * @property {readonly number[]} open the pull requests that are open
 * @property {readonly (readonly string[])[]} pullRequestChecks the jobs that ran on each head of the pull request
 */

/**
 * @param {Expected} expected
 * @param {ActResult} result
 * @param {Seen} seen
 * @returns {string[]} what is not as it must be
 */
export function judge(expected, result, { serviceLog, github, commands, told, labels, open, pullRequestChecks }) {
  const sort = (/** @type {readonly string[]} */ list) => [...list].sort()
  return [
    ...compare('conclusion', expected.conclusion, result.exitCode === 0 ? 'success' : 'failure'),
    ...(expected.jobs === undefined ? [] : compare('jobs', sort(expected.jobs), sort(result.jobs))),
    ...Object.entries(expected.outputs ?? {}).flatMap(([name, value]) => compare(name, value, result.outputs[name])),
    // In order, but for the jobs of a matrix, which have none.
    ...compare('prompts', sort(expected.prompts), sort(promptsIn(serviceLog))),
    ...(expected.github === undefined ? [] : compare('asked of GitHub', expected.github, github)),
    ...compare('commands of gh', expected.commands ?? [], commands),
    ...(expected.summary ?? [])
      .filter((text) => !result.summary.includes(text))
      .map((text) => `summary: ${JSON.stringify(text)} is missing`),
    ...(expected.told ?? [])
      .filter((text) => !told.includes(text))
      .map((text) => `told to the agent: ${JSON.stringify(text)} is missing in ${told}`),
    ...(expected.labels === undefined ? [] : compare('labels', sort(expected.labels), sort(labels))),
    ...(expected.open === undefined ? [] : compare('open pull requests', expected.open, open)),
    ...compare('checks of the pull request', expected.pullRequestChecks ?? [], pullRequestChecks),
  ]
}
