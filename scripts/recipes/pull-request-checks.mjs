import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { parse } from 'yaml'
import { checkRun } from '../../__tests__/support/github-state.ts'
import { historyOf } from '../../src/emulator/github/history.ts'
import { takeId } from '../../src/emulator/github/state.ts'
import { filesOf } from './head-files.mjs'

/**
 * @typedef {import('../../src/emulator/github/state.ts').GitHubState} GitHubState
 * @typedef {import('../../src/emulator/github/check-state.ts').CheckRun} CheckRun
 *
 * @typedef {object} PullRequestChecks
 * @property {(state: GitHubState) => void} look begins the checks of each head that has none yet
 * @property {() => Promise<string[][]>} ends of the jobs, such as `build: failure`, for each head
 */

/** The service begins with jobs of other names. */
export const OF_A_NEW_JOB = /^agent\/job_\d+$/

/** What GitHub writes beside a job whose step failed, if that step itself writes nothing. */
const ANNOTATION = /** @type {const} */ ({
  path: '.github',
  start_line: 1,
  end_line: 1,
  annotation_level: 'failure',
  title: null,
  message: 'Process completed with exit code 1.',
})

/**
 * Plays GitHub's part where a pull request gets a new head: runs a workflow on the files of that head, as `on: pull_request`
 * does, and reports each of its jobs as a check run with its end and its log.
 *
 * @param {object} options
 * @param {string | undefined} options.workflow its path; undefined if nothing is to run
 * @param {() => number} options.nowMs the time there
 * @param {(workflow: string, files: Record<string, string>, event: object) => Promise<import('./act-log.mjs').WorkflowRun>} options.run
 * @returns {PullRequestChecks}
 */
export function playPullRequestChecks({ workflow, nowMs, run }) {
  /** @type {Map<string, Promise<string[]>>} */
  const heads = new Map()

  /**
   * @param {string} file
   * @param {GitHubState} state
   * @param {import('../../src/emulator/github/repository-state.ts').RepositoryState} repository
   * @param {{ number: number, headSha: string, branch: string }} pull
   */
  async function check(file, state, repository, { number, headSha, branch }) {
    const { jobs } = /** @type {{ jobs: object }} */ (parse(readFileSync(file, 'utf8')))
    const [suiteId, runId, startedAtMs] = [takeId(state), takeId(state), nowMs()]
    const begun = Object.keys(jobs).map((name) => {
      const times = { createdAtMs: startedAtMs, startedAtMs, completedAtMs: Infinity }
      return checkRun({ ...times, id: takeId(state), name, headSha, suiteId, runId })
    })
    repository.checkRuns.push(...begun)
    const event = { action: 'synchronize', number, pull_request: { number, head: { sha: headSha, ref: branch } } }
    const result = await run(file, filesOf(historyOf(repository, headSha)), event)
    for (const one of begun) {
      const conclusion = result.jobs.includes(`${one.name}: success`) ? 'success' : 'failure'
      repository.checkRuns[repository.checkRuns.indexOf(one)] = {
        ...{ ...one, completedAtMs: nowMs(), conclusion, log: result.logs[one.name] ?? '' },
        annotations: conclusion === 'success' ? [] : [ANNOTATION],
      }
    }
    const isGood = result.jobs.every((job) => job.endsWith(': success'))
    repository.workflowRuns.push({
      ...{ id: runId, workflow: basename(file), branch, headSha, event: 'pull_request', createdAtMs: startedAtMs },
      ...{ status: 'completed', conclusion: isGood ? 'success' : 'failure' },
    })
    return result.jobs.toSorted()
  }

  return {
    look(state) {
      if (workflow === undefined) return
      for (const repository of Object.values(state.repositories)) {
        for (const [number, pull] of Object.entries(repository.pulls)) {
          const { state: is, headSha, branch } = pull
          if (is !== 'open' || !OF_A_NEW_JOB.test(branch) || heads.has(headSha)) continue
          heads.set(headSha, check(workflow, state, repository, { number: Number(number), headSha, branch }))
        }
      }
    },
    ends: () => Promise.all(heads.values()),
  }
}
