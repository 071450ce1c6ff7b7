import { RUNNER_SCENARIO_NAMES } from '../../scripts/start/runner-scenarios.ts'
import type { Outcome } from '../../src/agent/record.ts'

/** Flags of `npm start` that end with each outcome. */
export const OUTCOME_FLAGS: Readonly<Record<Outcome, string>> = {
  'pull-request': '',
  'no-changes': '--scenario no-changes',
  failed: '--scenario failed',
  archived: '--scenario archived',
  'timed-out': '--scenario slow',
  unconfirmed: '--scenario never-starts',
  submitted: '--input wait=false',
  previewed: '--dry-run',
  cancelled: '--scenario slow --cancel-after 60',
  skipped: '--input "paths=lib/**"',
  error: '--scenario lost-answer',
}

/** Flags of `npm start` that show a message. */
export const MESSAGE_FLAGS: readonly (readonly [flags: string, message: string])[] = [
  ['--prompt=', 'is missing; set `prompt` or `prompt-file`'],
  ['--prompt " "', 'is blank; the agent needs an instruction'],
  ['--prompt Hello --prompt-file hello.md', 'cannot be combined with `prompt`'],
  ['--input api-key=', 'is empty: the secret that it is set from does not exist here'],
  ['--input base-url=', "is empty: set it, for example from the repository's variable"],
  ['--input base-url=http://docs.example.com', '`http://` is allowed for loopback addresses only'],
  ['--prompt-file missing.md', 'is the repository checked out before this step?'],
  ['--prompt-file ..', 'is outside the workspace'],
  ['--action visitors --input output-file=.git/visitors.csv', "is inside git's own folder"],
  ['--input wait-for-checks=false --input fail-on=checks', 'which requires'],
  ['--dry-run --job-id job_finished', 'a step with `job-id` alone sends nothing'],
  ['--input on-open-pr=follow-up --input label=', ' unless it is `new`'],
  ['--input on-open-pr=skip --input change-range=since-last-success', 'cannot be `skip` together with'],
  ['--input command=/docs --input github-token=', 'needs `github-token` to check who is allowed to use commands'],
  ['--input command=/docs --job-id job_running', 'the comment determines the job'],
  ['--input change-range=v1..main', 'where BASE and HEAD are commits, branches or tags'],
  ['--input "label=docs,agent"', 'must be the name of one label'],
  ['--input base-url=http://127.0.0.1:1', 'could not be reached'],
  ['--scenario untrusted-certificate', 'its certificate is not trusted'],
  ['--scenario proxy-refuses --job-id job_running', 'the proxy refused'],
  ['--scenario socks-proxy', 'a SOCKS proxy, which this action does not support'],
  ['--scenario stalled', 'did not respond in time'],
  ['--scenario lost-answer', 'because the connection was lost'],
  ['--scenario no-tls', 'does not use TLS'],
  ['--scenario redirecting', 'redirects to another address'],
  ['--scenario login-page --job-id job_running --input timeout-minutes=1', 'an invalid response'],
  ['--scenario unavailable', 'the job may exist'],
  [
    '--scenario unauthorized-later',
    'To wait for the job without a commit, run the workflow of the recipe `attach.yml` with `job-id: job_000001`.',
  ],
  ['--input api-key=docs_readonly_0123456789abcdef', 'denied access to this key'],
  ['--job-id job_missing', 'did not find'],
  ['--scenario payment-required', 'requires payment'],
  ['--scenario too-large', 'because it is too large'],
  ['--scenario rejected', 'rejected the request'],
  ['--scenario rate-limited', 'rate-limited the request'],
  ['--scenario rate-limited-for-hours', "which is after this step's deadline"],
  ['--job-id job_archived --prompt More.', 'The prompt was not sent: the job is archived'],
  [
    '--scenario unavailable --job-id job_finished --prompt More. --input timeout-minutes=2',
    'the job could not be read',
  ],
  ['--scenario slow --job-id job_running --prompt More.', 'the agent did not finish its earlier work'],
  [
    '--scenario unavailable --job-id job_running --input timeout-minutes=2',
    'The deadline passed before the job could be',
  ],
  ['--scenario checks-fail', 'its checks failed'],
  ['--scenario checks-pending', 'its checks have not finished'],
  ['--scenario checks-wait-for-approval', 'its checks wait for approval'],
  ['--scenario checks-cannot-start', 'startup failure'],
  ['--scenario checks-none', 'but no check is registered for it'],
  ['--scenario out-of-scope', 'but it changes files outside of'],
  ['--scenario no-permission --job-id job_running', 'but it is not known whether'],
  ['--scenario conflict', 'but it conflicts with its base'],
  ['--scenario draft', 'but it is a draft'],
  ['--scenario github-down --input change-context=files', 'which is needed for'],
  ['--scenario github-down', 'The pull request could not be read: GitHub responded with 503'],
  ['--scenario "rolling, read-only"', 'could not be found or created'],
  [
    '--scenario "open-pull-request, read-only" --input on-open-pr=follow-up',
    "The follow-up could not be recorded in the history of pull request #1: GitHub says “Resource not accessible by integration” (403). Grant the workflow's job these permissions:",
  ],
  ['--scenario follow-ups-used-up', 'Merge or close pull request #1 (https:'],
  ['--scenario slow --input label=docs-agent-weekly', 'with `job-id: job_000001` and `label: docs-agent-weekly`.'],
  ['--scenario merged-meanwhile --job-id job_finished --prompt More. --speed 5', 'while the agent was working on it'],
  ['--scenario "comment-by-maintainer, github-down"', 'Could not determine whether the author has write access'],
  [
    '--scenario label-not-created --input on-open-pr=new',
    'The label was not added to pull request #4 of acme/docs: GitHub says “You do not have permission to create labels',
  ],
  [
    '--scenario read-only --input on-open-pr=new',
    'The label was not added to pull request #4 of acme/docs, and the history comment was not written: GitHub says',
  ],
  ['--dry-run', 'since its last successful run begins after it'],
  ['--scenario no-permission --job-id job_running', 'Not done on GitHub'],
  [
    '--scenario token-expires',
    'To add the label and the comment before the next run, run the workflow of the recipe `attach.yml` with `job-id: job_000001`. The token of a GitHub App lasts one hour',
  ],
  ['--scenario unlisted-status --speed 8', 'an unknown status'],
  ['--scenario no-summary-file', 'The job summary could not be written'],
  ['--scenario no-output-file', 'The outputs could not be written'],
  [
    '--action visitors --scenario unavailable --input timeout-minutes=1 --speed 5',
    'Not all pages were read before the deadline',
  ],
  ['--action visitors --scenario stuck-pages', 'does not end'],
  ['--action visitors --scenario full-disk', 'The file could not be written'],
  ['--action visitors --scenario long-path', 'The service sent a path that is longer than'],
  ['--action visitors --scenario endless-pages --speed 5', 'The file would be larger than'],
  ['--action visitors --scenario short-history --input days=60 --input compare=true', 'There is no comparison with'],
  ['--action visitors --scenario moving-pages', 'Rows moved while the pages were read'],
]

/** Commands whose result depends on the network, files or variables of the step's process. */
const NEEDS_PROCESS = new RegExp(`base-url=http:|api-key=.|--scenario (?:${RUNNER_SCENARIO_NAMES.join('|')})`)

/** Writes 512 MiB. `__tests__/action/output-file.test.ts` tests this error with a small limit. */
export const FILLS_DISK = '--scenario endless-pages'

export const needsProcess = (flags: string): boolean => NEEDS_PROCESS.test(flags)
