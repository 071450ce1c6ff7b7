/** The inputs of the agent's action, parsed. Hides their names, defaults and checks. */
import {
  apiKeyInput,
  baseUrlInput,
  booleanInput,
  choiceInput,
  field,
  hashInputs,
  type Input,
  inputThat,
  isGiven,
  jobIdInput,
  linesField,
  toItems,
  optionalInput,
  type Parsed,
  labelInput,
  parseFields,
  pollIntervalInput,
  type RawInputs,
  REF_PATTERN,
  rejectInput,
  repositoryInput,
  appendRejectedValue,
  SERVICE_FIELDS,
  skipLabelsInput,
  textInput,
  timeoutInput,
  tokenInput,
  wholeNumberInput,
  removeSecrets,
} from '../action/inputs.ts'
import { readWorkspaceFile } from '../action/workspace-file.ts'
import { joinWords } from '../text/format.ts'
import { parsePathRules } from './path-filter.ts'

/** What the step requests from the service. */
export type Task =
  | { readonly kind: 'create'; readonly prompt: string }
  | { readonly kind: 'follow-up'; readonly prompt: string; readonly jobId: string }
  | { readonly kind: 'attach'; readonly jobId: string }

export const isDryRunRequested = (raw: RawInputs): boolean => /^\s*true\s*$/i.test(raw['dry-run'] ?? '')

/** Makes an input optional in a dry run. */
const unlessDryRun =
  (input: Input<string>): Input<string> =>
  (text, raw, workspace) =>
    text === '' && isDryRunRequested(raw) ? '' : input(text, raw, workspace)

const dryRunInput = inputThat(booleanInput, (dryRun, raw) => {
  const hasPrompt = ['prompt', 'prompt-file'].some((name) => isGiven(raw, name))
  return dryRun && isGiven(raw, 'job-id') && !hasPrompt && 'needs a prompt: a step with `job-id` alone sends nothing'
})

/** Without a prompt and a job there is a command. A given prompt is then the house rules, which precede the comment's text. */
export function toTask(prompt: string | undefined, jobId: string | undefined): Task {
  if (jobId === undefined) return { kind: 'create', prompt: prompt ?? '' }
  return prompt === undefined ? { kind: 'attach', jobId } : { kind: 'follow-up', prompt, jobId }
}

/** Adds the context after the prompt. A task that only attaches to a job has no prompt. */
export function appendContext(task: Task, context: string): Task {
  return task.kind === 'attach' ? task : { ...task, prompt: task.prompt + context }
}

export const FAIL_ON = ['failed', 'archived', 'timeout', 'no-changes', 'checks', 'out-of-scope'] as const
export type FailOn = (typeof FAIL_ON)[number]

const isFailOn = (word: string): word is FailOn => (FAIL_ON as readonly string[]).includes(word)

const waitsForChecks = (raw: RawInputs): boolean => /^\s*true\s*$/i.test(raw['wait-for-checks'] ?? '')

/** Returns the other input that a word requires; undefined if that input is set or none is required. */
function findMissingInput(word: FailOn, raw: RawInputs): string | undefined {
  if (word === 'checks' && !waitsForChecks(raw)) return '`wait-for-checks: true`'
  return word === 'out-of-scope' && !isGiven(raw, 'allowed-paths') ? '`allowed-paths`' : undefined
}

/**
 * Parses a list of words. `action.yml` has no default for this input: an explicit word whose
 * outcome cannot occur is rejected, and a default could not be distinguished from an explicit value.
 */
export const failOnInput: Input<ReadonlySet<FailOn>> = (text, raw) => {
  if (text.trim() === '')
    return new Set(FAIL_ON.filter((word) => word !== 'no-changes' && findMissingInput(word, raw) === undefined))
  const words = toItems(text).map(({ item }) => item)
  if (words.length === 1 && words[0] === 'none') return new Set()
  if (words.length === 0 || !words.every(isFailOn)) {
    const shown = toItems(removeSecrets(text, raw)).map(({ item }) => item)
    const wrong = shown.find((word) => !isFailOn(word) && word !== 'none') ?? text
    const known = FAIL_ON.map((outcome) => `\`${outcome}\``).join(', ')
    return rejectInput(appendRejectedValue(`must be a list of ${known}, or \`none\` alone`, wrong, raw))
  }
  const problems = words.flatMap((word) => {
    const missing = findMissingInput(word, raw)
    return missing === undefined ? [] : [`has \`${word}\`, which requires ${missing}`]
  })
  return problems.length === 0 ? new Set(words) : rejectInput(...problems)
}

/** The people to request a review of the pull request from. */
interface RequestedReviewers {
  /** Whether to request reviews from the authors of the commits that started the run. */
  readonly hasAuthors: boolean
  /** Whether to request reviews from the people who approved the pull requests that the change came from. */
  readonly hasApprovers: boolean
  /** Logins, and teams as `org/team`. */
  readonly names: readonly string[]
}

/** A login, which may end with an enterprise's short code, or a team. A leading `@` is accepted, because people copy mentions. */
const NAME = /^@?([A-Za-z0-9][\w-]{0,99}(?:\/\w[\w.-]{0,99})?)$/

/** GitHub's limit for one pull request. */
const MAX_NAMES = 15

const AUTHORS = 'change-authors'
const APPROVERS = 'change-reviewers'

export const reviewersInput: Input<RequestedReviewers> = (text, raw) => {
  const given = toItems(text)
  const wrong = given.filter(({ item }) => !NAME.test(item))
  if (wrong.length > 0)
    return rejectInput(
      ...wrong.map(({ at }) => `${at} must be \`${AUTHORS}\`, \`${APPROVERS}\`, a login or \`org/team\``),
    )
  const items = given.map(({ item }) => item)
  const names = items.filter((item) => item !== AUTHORS && item !== APPROVERS).map((item) => item.replace('@', ''))
  if (names.length > MAX_NAMES) return rejectInput(`has more than ${MAX_NAMES} names, which is GitHub's limit`)
  if (given.length > 0 && !isGiven(raw, 'github-token')) return rejectInput('needs `github-token` to request reviews')
  return { hasAuthors: items.includes(AUTHORS), hasApprovers: items.includes(APPROVERS), names }
}

/** The range that `change-range` requests. */
export type RequestedRange =
  /** The range of the event. */
  | { readonly kind: 'event' }
  | { readonly kind: 'since-last-success' }
  | {
      readonly kind: 'between'
      /** `owner/name`; undefined for the repository of the run. */
      readonly repository: string | undefined
      readonly base: string
      readonly head: string
    }
  /** The pull request's own change. */
  | {
      readonly kind: 'pull-request'
      /** `owner/name`; undefined for the repository of the run. */
      readonly repository: string | undefined
      readonly number: number
    }

/** Whether the input names the range, so that it does not depend on the event. */
export const isExplicitRange = (range: RequestedRange): range is Extract<RequestedRange, { repository: unknown }> =>
  range.kind === 'between' || range.kind === 'pull-request'

/** A tag may contain `@`, so a repository is only what looks like `owner/name` before the first `@`. `.` and `..` are no names. */
const WITH_REPOSITORY = /^([A-Za-z0-9][A-Za-z0-9-]*\/(?!\.{1,2}@)[\w.-]+)@(.*)$/

/** Not `#123`, which YAML reads as a comment. */
const PULL_REQUEST = /^(?:([A-Za-z0-9][A-Za-z0-9-]*\/(?!\.{1,2}\/)[\w.-]+)\/)?pull\/([1-9]\d{0,8})$/

const RULE =
  'must be empty, `since-last-success`, `pull/123`, `owner/name/pull/123`, `BASE...HEAD` or `owner/name@BASE...HEAD`, where BASE and HEAD are commits, branches or tags'

/** Git's id of nothing: GitHub sends it as `before` of a new branch or tag, and as `after` of a deleted one. */
const ZEROS = /^0{40}(?:0{24})?$/

const USE_EVENT = 'leave `change-range` empty to use the range of the event, which knows these cases'

export const changeRangeInput: Input<RequestedRange> = (text) => {
  if (text === '') return { kind: 'event' }
  if (text === 'since-last-success') return { kind: 'since-last-success' }
  const pullRequest = PULL_REQUEST.exec(text)
  if (pullRequest !== null) return { kind: 'pull-request', repository: pullRequest[1], number: Number(pullRequest[2]) }
  const [, repository, ends = text] = WITH_REPOSITORY.exec(text) ?? []
  const [base = '', head = '', ...others] = ends.split('...')
  if (ZEROS.test(base))
    return rejectInput(
      `has zeros as BASE, which GitHub sends as \`before\` of a new branch or tag: nothing was there before; ${USE_EVENT}`,
    )
  if (ZEROS.test(head))
    return rejectInput(
      `has zeros as HEAD, which GitHub sends as \`after\` of a deleted branch or tag: nothing is there any more; ${USE_EVENT}`,
    )
  if (text.includes('...') && (base === '') !== (head === ''))
    return rejectInput(
      `has no ${base === '' ? 'BASE' : 'HEAD'}: an expression is empty, such as \`github.event.before\` in an event other than a push; ${USE_EVENT}`,
    )
  if (others.length > 0 || !REF_PATTERN.test(base) || !REF_PATTERN.test(head)) return rejectInput(RULE)
  return { kind: 'between', repository, base, head }
}

/** How much of a change is added to the prompt. Each level includes the levels before it. */
export const CHANGE_CONTEXTS = ['none', 'commits', 'files', 'diff'] as const
export type ChangeContext = (typeof CHANGE_CONTEXTS)[number]

/** Which of the agent's pull requests count as own: all of them, or only those with the label of this step. */
export const SKIP_OWN_CHANGES = ['true', 'same-label'] as const

/** What to do if an open pull request of the agent has the label. */
export const ON_OPEN_PR = ['new', 'follow-up', 'skip'] as const

const MAX_PROMPT_BYTES = 4 * 1024 * 1024
const BLANK = 'is blank; the agent needs an instruction'

/** The prompt is sent unchanged. */
const promptInput: Input<string | undefined> = (text, raw) => {
  const prompt = raw['prompt'] ?? ''
  if (prompt !== '') return text === '' ? rejectInput(BLANK) : prompt
  if (['prompt-file', 'job-id', 'command'].some((name) => isGiven(raw, name))) return undefined
  return rejectInput('is missing; set `prompt` or `prompt-file`, or `job-id` alone to wait for a job')
}

const promptFileInput = optionalInput((text, raw, workspace) => {
  if (raw['prompt'] !== '') return rejectInput('cannot be combined with `prompt`')
  const prompt = readWorkspaceFile(workspace, text, MAX_PROMPT_BYTES)
  return prompt.trim() === '' ? rejectInput(BLANK) : prompt
})

/** The label identifies the rolling pull request, and the token is needed to find it. */
const onOpenPrInput = inputThat(choiceInput(ON_OPEN_PR), (choice, raw) => {
  const missing = ['label', 'github-token'].filter((name) => !isGiven(raw, name)).map((name) => `\`${name}\``)
  if (choice !== 'new' && missing.length > 0) return `needs ${missing.join(' and ')} unless it is \`new\``
  if (choice !== 'skip' || raw['change-range']?.trim() !== 'since-last-success') return false
  return 'cannot be `skip` together with `change-range: since-last-success`: a skipped run succeeds, so no later run would send its changes; use `follow-up`'
})

/** After this number of follow-ups to one pull request, a person must merge or close it. */
export const DEFAULT_MAX_FOLLOW_UPS = 20

/** No text of this action begins with `/`, so its own comments are never commands. */
const commandWord = textInput(
  /^(?:\/[A-Za-z0-9][\w-]{0,49})?$/,
  'must be one word that begins with `/`, such as `/docs`, of letters, digits, `_` and `-`',
)

const commandInput = inputThat(commandWord, (command, raw) => {
  if (command === '') return false
  if (isGiven(raw, 'job-id')) return 'cannot be combined with `job-id`: the comment determines the job'
  return !isGiven(raw, 'github-token') && 'needs `github-token` to check who is allowed to use commands'
})

const MAX_FIX_ROUNDS = 5

const fixRoundsInput = inputThat(
  wholeNumberInput(0, MAX_FIX_ROUNDS, ' of rounds'),
  (rounds, raw) => rounds > 0 && !waitsForChecks(raw) && 'needs `wait-for-checks: true` to find failed checks',
)

/** The inputs that the step can apply only at the end of a job, and whether each one is set. */
const APPLIED_AT_END: Readonly<Record<string, (raw: RawInputs) => boolean>> = {
  'wait-for-checks': waitsForChecks,
  'allowed-paths': (raw) => isGiven(raw, 'allowed-paths'),
  'fix-rounds': (raw) => Number(raw['fix-rounds'] ?? '') > 0,
  reviewers: (raw) => isGiven(raw, 'reviewers'),
}

const waitInput = inputThat(booleanInput, (wait, raw) => {
  const names = Object.entries(APPLIED_AT_END).flatMap(([name, isSet]) => (isSet(raw) ? [`\`${name}\``] : []))
  if (wait || names.length === 0) return false
  return `cannot be \`false\` together with ${joinWords(names)}: the step would end before there is anything to check`
})

/** The default of `label` in action.yml, and in the recipe attach.yml. */
export const DEFAULT_LABEL = 'docs-agent'

/** Every input of the action, in the order of action.yml, which has the defaults of `label` and `github-token`: empty means none. */
export const AGENT_FIELDS = {
  prompt: field('prompt', '', promptInput),
  promptFile: field('prompt-file', '', promptFileInput),
  jobId: field('job-id', '', jobIdInput),
  /** Empty: comments are ordinary events. */
  command: field('command', '', commandInput),
  dryRun: field('dry-run', 'false', dryRunInput),
  projectId: SERVICE_FIELDS.projectId,
  apiKey: field('api-key', '', unlessDryRun(apiKeyInput)),
  baseUrl: field('base-url', '', unlessDryRun(baseUrlInput)),
  wait: field('wait', 'true', waitInput),
  timeoutMs: field('timeout-minutes', '60', timeoutInput),
  /** Undefined: the interval adapts to the job's age. */
  pollIntervalMs: field('poll-interval-seconds', '', optionalInput(pollIntervalInput)),
  changeContext: field('change-context', 'none', choiceInput(CHANGE_CONTEXTS)),
  changeRange: field('change-range', '', changeRangeInput),
  /** Empty: every file counts. */
  paths: linesField('paths', parsePathRules),
  skipLabels: linesField('skip-labels', skipLabelsInput),
  skipOwnChanges: field('skip-own-changes', 'true', choiceInput(SKIP_OWN_CHANGES)),
  onOpenPr: field('on-open-pr', 'new', onOpenPrInput),
  maxFollowUps: field('max-follow-ups', String(DEFAULT_MAX_FOLLOW_UPS), wholeNumberInput(1, 100, ' of follow-ups')),
  label: field('label', '', labelInput),
  /** Empty: the repository of the run. */
  prRepository: field('pr-repository', '', repositoryInput),
  waitForChecks: field('wait-for-checks', 'false', booleanInput),
  fixRounds: field('fix-rounds', '0', fixRoundsInput),
  allowedPaths: linesField('allowed-paths', parsePathRules),
  reviewers: linesField('reviewers', reviewersInput),
  githubToken: field('github-token', '', tokenInput),
  /** Empty: all words except `no-changes` whose required inputs are set. */
  failOn: linesField('fail-on', failOnInput),
}

export interface AgentInputs extends Parsed<typeof AGENT_FIELDS> {
  readonly task: Task
  /** The path in `prompt-file`. Undefined if it is not given. */
  readonly promptPath: string | undefined
  /** Whether requests to the service are possible. A dry run needs no key. */
  readonly hasService: boolean
  /** Hashes all inputs except secrets. */
  readonly hash: () => Promise<string>
}

type PermissionInputs = Pick<AgentInputs, 'changeRange' | 'waitForChecks'>

/**
 * Formats the permissions that a step with these inputs needs, as a complete line for its job in the workflow. Without an
 * explicit range, some events look back to the last success, so the line is enough for all events of the workflow.
 */
function formatPermissions({ changeRange, waitForChecks }: PermissionInputs): string {
  const permissions = [
    ...(waitForChecks || !isExplicitRange(changeRange) ? ['actions: read'] : []),
    ...(waitForChecks ? ['checks: read'] : []),
    'contents: read',
    'issues: write',
    'pull-requests: write',
    ...(waitForChecks ? ['statuses: read'] : []),
  ]
  return `\`permissions: { ${permissions.join(', ')} }\``
}

/** What to do if GitHub fails before the prompt. */
export const GITHUB_RETRY_HINT = 'Run the step again when GitHub responds.'

/** Says which permissions to grant, as a complete line to paste. Nothing shows whether a token is the workflow's own. */
export const formatGrant = (inputs: PermissionInputs): string =>
  `Grant the workflow's job these permissions: ${formatPermissions(inputs)}. If \`github-token\` is another token, that token needs them instead.`

/** @throws ActionError `invalid-input` that names every problem */
export function parseAgentInputs(raw: RawInputs, workspace: string): AgentInputs {
  const inputs = parseFields(AGENT_FIELDS, raw, workspace)
  const { prompt, promptFile, jobId } = inputs
  return {
    ...inputs,
    hash: () => hashInputs(AGENT_FIELDS, raw),
    task: toTask(prompt ?? promptFile, jobId),
    promptPath: (raw['prompt-file'] ?? '').trim() || undefined,
    hasService: inputs.apiKey !== '' && inputs.baseUrl !== '',
  }
}
