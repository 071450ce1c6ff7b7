import { field, hashInputs, linesField, parseFields, SERVICE_FIELDS, type Parsed } from '../../action/input-table.ts'
import {
  baseUrlInput,
  booleanInput,
  choiceInput,
  inputThat,
  isGiven,
  jobIdInput,
  linesOf,
  onMissingKeyInput,
  optionalInput,
  pollIntervalInput,
  refuse,
  textInput,
  timeoutInput,
  wholeNumberInput,
  type Input,
  type RawInputs,
} from '../../action/parse-inputs.ts'
import { readWorkspaceFile } from '../../action/workspace-file.ts'
import { joinWords } from '../../text/sentences.ts'
import { changeRangeInput } from './change-range-input.ts'
import { failOnInput, waitsForChecks } from './fail-on.ts'
import type { PathFilter } from './path-filter.ts'
import { parsePathRules } from './path-patterns.ts'
import { reviewersInput } from './reviewers-input.ts'
import { toTask, type Task } from './task.ts'

/** How much of a change is told, each with all that stands before it. */
export const CHANGE_CONTEXTS = ['none', 'commits', 'files', 'diff'] as const
export type ChangeContext = (typeof CHANGE_CONTEXTS)[number]

/** What to do where an open pull request of the agent carries the label. */
export const ON_OPEN_PR = ['new', 'follow-up', 'skip'] as const

const MAX_PROMPT_BYTES = 4 * 1024 * 1024
const BLANK = 'is blank; the agent needs an instruction'

/** Byte for byte. */
const promptInput: Input<string | undefined> = (text, raw) => {
  const prompt = raw['prompt'] ?? ''
  if (prompt !== '') return text === '' ? refuse(BLANK) : prompt
  if (['prompt-file', 'job-id', 'command'].some((name) => isGiven(raw, name))) return undefined
  return refuse('is missing; set `prompt` or `prompt-file`, or `job-id` alone to wait for a job')
}

const promptFileInput = optionalInput((text, raw, workspace) => {
  if (raw['prompt'] !== '') return refuse('cannot be combined with `prompt`')
  const prompt = readWorkspaceFile(workspace, text, MAX_PROMPT_BYTES)
  return prompt.trim() === '' ? refuse(BLANK) : prompt
})

const ignoredPathsInput = inputThat(parsePathRules, (rules, raw) => {
  const rule = 'cannot be combined with `paths`; there, lines that begin with `!` leave files out'
  return rules.length > 0 && isGiven(raw, 'paths') && rule
})

const tokenInput = textInput(
  /^[\x21-\x7e]{0,4096}$/,
  'has a space, a line break or another character that no token has, or is longer than 4096 characters',
)

/** GitHub's own limit for the name of a label. One of dots alone would be a step in the address of the label. */
const LABEL = /^(?!\.{1,2}$)[^\p{Cc},]{0,50}$/u

const labelInput = textInput(
  LABEL,
  'must be the name of one label, at most 50 characters, without a comma, and neither `.` nor `..`',
)

const skipLabelsInput: Input<readonly string[]> = (text, raw) => {
  const lines = linesOf(text)
  const wrong = lines.filter(({ line }) => !LABEL.test(line))
  if (wrong.length > 0) return refuse(...wrong.map(({ at }) => `${at} must be the name of one label`))
  if (lines.length > 0 && !isGiven(raw, 'github-token')) return refuse('needs `github-token`, to read the labels')
  return lines.map(({ line }) => line)
}

/** Without a label there is no rolling pull request, and without a token nobody could look for one. */
const onOpenPrInput = inputThat(choiceInput(ON_OPEN_PR), (choice, raw) => {
  const missing = ['label', 'github-token'].filter((name) => !isGiven(raw, name)).map((name) => `\`${name}\``)
  return choice !== 'new' && missing.length > 0 && `needs ${missing.join(' and ')} unless it is \`new\``
})

/** Names of dots alone are steps in an address. */
const repositoryInput = textInput(
  /^(?:(?!\.{1,2}\/)[\w.-]{1,100}\/(?!\.{1,2}$)[\w.-]{1,100})?$/,
  'must be a repository such as `owner/name`',
)

/** A word that no text of ours begins with: what we write cannot ask for anything. */
const commandWord = textInput(
  /^(?:\/[A-Za-z0-9][\w-]{0,49})?$/,
  'must be one word that begins with `/`, such as `/docs`, of letters, digits, `_` and `-`',
)

const commandInput = inputThat(commandWord, (command, raw) => {
  if (command === '') return false
  if (isGiven(raw, 'job-id')) return 'cannot be combined with `job-id`: the comment says which job it is'
  return !isGiven(raw, 'github-token') && 'needs `github-token`, to check who may give commands'
})

const MOST_FIX_ROUNDS = 5

const fixRoundsInput = inputThat(
  wholeNumberInput(0, MOST_FIX_ROUNDS, ' of rounds'),
  (rounds, raw) => rounds > 0 && !waitsForChecks(raw) && 'needs `wait-for-checks: true`, to know which checks fail',
)

/** What a step checks at the end of a job, and whether it is asked for. */
const CHECKED_AT_END: Readonly<Record<string, (raw: RawInputs) => boolean>> = {
  'wait-for-checks': waitsForChecks,
  'allowed-paths': (raw) => isGiven(raw, 'allowed-paths'),
  'fix-rounds': (raw) => Number(raw['fix-rounds'] ?? '') > 0,
  reviewers: (raw) => isGiven(raw, 'reviewers'),
}

const waitInput = inputThat(booleanInput, (wait, raw) => {
  const asked = Object.entries(CHECKED_AT_END).flatMap(([name, isAsked]) => (isAsked(raw) ? [`\`${name}\``] : []))
  if (wait || asked.length === 0) return false
  return `cannot be \`false\` together with ${joinWords(asked)}: the step would end before there is anything to check`
})

/** Every input of the action, in the order of action.yml. An empty token or label means none, so their defaults are not here. */
export const AGENT_FIELDS = {
  prompt: field('prompt', '', promptInput),
  promptFile: field('prompt-file', '', promptFileInput),
  jobId: field('job-id', '', jobIdInput),
  /** Empty: comments are events like all others. */
  command: field('command', '', commandInput),
  ...SERVICE_FIELDS,
  wait: field('wait', 'true', waitInput),
  timeoutMs: field('timeout-minutes', '60', timeoutInput),
  /** Undefined: the pace adapts to the job's age. */
  pollIntervalMs: field('poll-interval-seconds', '', optionalInput(pollIntervalInput)),
  changeContext: field('change-context', 'none', choiceInput(CHANGE_CONTEXTS)),
  changeContextBytes: field('change-context-bytes', '65536', wholeNumberInput(1024, 1024 * 1024, ' of bytes')),
  changeRange: field('change-range', '', changeRangeInput),
  paths: linesField('paths', parsePathRules),
  pathsIgnore: linesField('paths-ignore', ignoredPathsInput),
  skipLabels: linesField('skip-labels', skipLabelsInput),
  skipOwnChanges: field('skip-own-changes', 'true', booleanInput),
  onOpenPr: field('on-open-pr', 'new', onOpenPrInput),
  label: field('label', '', labelInput),
  /** Empty: the one of the run. */
  prRepository: field('pr-repository', '', repositoryInput),
  waitForChecks: field('wait-for-checks', 'false', booleanInput),
  fixRounds: field('fix-rounds', '0', fixRoundsInput),
  allowedPaths: linesField('allowed-paths', parsePathRules),
  reviewers: linesField('reviewers', reviewersInput),
  githubToken: field('github-token', '', tokenInput),
  /** Undefined: that of the run. */
  githubApiUrl: field('github-api-url', '', optionalInput(baseUrlInput)),
  /** Empty: all words but `no-changes`, as far as they can be known. */
  failOn: field('fail-on', '', failOnInput),
  onMissingKey: field('on-missing-key', 'fail', onMissingKeyInput),
  summary: field('summary', 'true', booleanInput),
}

export interface AgentInputs extends Parsed<typeof AGENT_FIELDS> {
  readonly task: Task
  /** Of all inputs but secrets. */
  readonly hash: string
  /** Undefined: every file counts. */
  readonly pathFilter: PathFilter | undefined
  /** What is allowed and probably not meant, as full sentences. */
  readonly warnings: readonly string[]
}

/** @throws ActionError `invalid-input` that names every problem */
export function parseAgentInputs(raw: RawInputs, workspace: string): AgentInputs {
  const inputs = parseFields(AGENT_FIELDS, raw, workspace)
  const { prompt, promptFile, jobId, paths, pathsIgnore, allowedPaths } = inputs
  const filters = [{ kind: 'paths', rules: paths } as const, { kind: 'paths-ignore', rules: pathsIgnore } as const]
  return {
    ...inputs,
    hash: hashInputs(AGENT_FIELDS, raw),
    task: toTask(prompt ?? promptFile, jobId),
    pathFilter: filters.find(({ rules }) => rules.length > 0),
    warnings: [...filters, { kind: 'allowed-paths', rules: allowedPaths }].flatMap(({ kind, rules }) =>
      rules.flatMap(({ warning }) => (warning === undefined ? [] : [`\`${kind}\` ${warning}.`])),
    ),
  }
}
