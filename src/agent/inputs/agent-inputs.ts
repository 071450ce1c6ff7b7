import { field, inputNames, parseFields, SERVICE_FIELDS, type Fields, type Parsed } from '../../action/input-table.ts'
import {
  baseUrlInput,
  booleanInput,
  choiceInput,
  idInput,
  isGiven,
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
import { changeRangeInput } from './change-range-input.ts'
import { failOnInput, waitsForChecks } from './fail-on.ts'
import type { PathFilter } from './path-filter.ts'
import { parsePathPatterns, type PathRule } from './path-patterns.ts'
import { reviewersInput } from './reviewers-input.ts'
import { toTask, type Task } from './task.ts'

/** How much of a change is told, each with all that stands before it. */
export const CHANGE_CONTEXTS = ['none', 'commits', 'files', 'diff'] as const
export type ChangeContext = (typeof CHANGE_CONTEXTS)[number]

/** What to do where an open pull request of the agent carries the label. */
export const ON_OPEN_PR = ['new', 'follow-up', 'skip'] as const
type OnOpenPr = (typeof ON_OPEN_PR)[number]

const MAX_PROMPT_BYTES = 4 * 1024 * 1024
const BLANK = 'is blank; the agent needs an instruction'

const promptInput: Input<string | undefined> = (text, raw) => {
  if (text !== '') return text.trim() === '' ? refuse(BLANK) : text
  if (['prompt-file', 'job-id', 'command'].some((name) => isGiven(raw, name))) return undefined
  return refuse('is missing; set `prompt` or `prompt-file`, or `job-id` alone to wait for a job')
}

function promptFileInput(workspace: string): Input<string | undefined> {
  return (text, raw) => {
    if (text.trim() === '') return undefined
    if (raw['prompt'] !== '') return refuse('cannot be combined with `prompt`')
    const prompt = readWorkspaceFile(workspace, text.trim(), MAX_PROMPT_BYTES)
    return prompt.trim() === '' ? refuse(BLANK) : prompt
  }
}

const patternsInput: Input<readonly PathRule[]> = (text) => {
  const { rules, problems } = parsePathPatterns(text)
  return problems.length === 0 ? rules : refuse(...problems)
}

const ignoredPatternsInput: Input<readonly PathRule[]> = (text, raw) => {
  if (!isGiven(raw, 'paths')) return patternsInput(text, raw)
  const rule = 'cannot be combined with `paths`; there, lines that begin with `!` leave files out'
  return text.trim() === '' ? [] : refuse(rule)
}

const tokenInput = textInput(
  /^[\x21-\x7e]{0,4096}$/,
  'has a space, a line break or another character that no token has, or is longer than 4096 characters',
)

/** GitHub's own limit for the name of a label. One of dots alone would be a step in the address of the label. */
const labelInput = textInput(
  /^(?!\.{1,2}$)[^\p{Cc},]{0,50}$/u,
  'must be the name of one label, at most 50 characters, without a comma, and neither `.` nor `..`',
)

const onOpenPrChoice = choiceInput(ON_OPEN_PR)

/** Without a label there is no rolling pull request, and without a token nobody could look for one. */
const onOpenPrInput: Input<OnOpenPr> = (text, raw) => {
  const choice = onOpenPrChoice(text, raw)
  const missing = ['label', 'github-token'].filter((name) => !isGiven(raw, name)).map((name) => `\`${name}\``)
  return choice === 'new' || missing.length === 0
    ? choice
    : refuse(`needs ${missing.join(' and ')} unless it is \`new\``)
}

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

const commandInput: Input<string> = (text, raw) => {
  const command = commandWord(text, raw)
  if (command === '') return command
  if (isGiven(raw, 'job-id')) return refuse('cannot be combined with `job-id`: the comment says which job it is')
  return isGiven(raw, 'github-token') ? command : refuse('needs `github-token`, to check who may give commands')
}

const MOST_FIX_ROUNDS = 5

const roundsInput = wholeNumberInput(0, MOST_FIX_ROUNDS, ' of rounds')

const fixRoundsInput: Input<number> = (text, raw) => {
  if (waitsForChecks(raw)) return roundsInput(text, raw)
  const rule = 'needs `wait-for-checks: true`, to know which checks fail'
  return /^\s*0*\s*$/.test(text) ? 0 : refuse(rule)
}

/** Every input of the action, in the order of action.yml. An empty token or label means none, so their defaults are not here. */
const agentFields = (workspace: string) => ({
  prompt: field('prompt', '', promptInput),
  promptFile: field('prompt-file', '', promptFileInput(workspace)),
  jobId: field('job-id', '', idInput),
  /** Empty: comments are events like all others. */
  command: field('command', '', commandInput),
  ...SERVICE_FIELDS,
  wait: field('wait', 'true', booleanInput),
  timeoutMs: field('timeout-minutes', '60', timeoutInput),
  /** Undefined: the pace adapts to the job's age. */
  pollIntervalMs: field('poll-interval-seconds', '', optionalInput(pollIntervalInput)),
  changeContext: field('change-context', 'none', choiceInput(CHANGE_CONTEXTS)),
  changeContextBytes: field('change-context-bytes', '65536', wholeNumberInput(1024, 1024 * 1024, ' of bytes')),
  changeRange: field('change-range', '', changeRangeInput),
  paths: field('paths', '', patternsInput),
  pathsIgnore: field('paths-ignore', '', ignoredPatternsInput),
  skipOwnChanges: field('skip-own-changes', 'true', booleanInput),
  onOpenPr: field('on-open-pr', 'new', onOpenPrInput),
  label: field('label', '', labelInput),
  /** Empty: the one of the run. */
  prRepository: field('pr-repository', '', repositoryInput),
  waitForChecks: field('wait-for-checks', 'false', booleanInput),
  fixRounds: field('fix-rounds', '0', fixRoundsInput),
  allowedPaths: field('allowed-paths', '', patternsInput),
  reviewers: field('reviewers', '', reviewersInput),
  githubToken: field('github-token', '', tokenInput),
  /** Undefined: that of the run. */
  githubApiUrl: field('github-api-url', '', optionalInput(baseUrlInput)),
  /** Empty: all words but `no-changes`, as far as they can be known. */
  failOn: field('fail-on', '', failOnInput),
  onMissingKey: field('on-missing-key', 'fail', onMissingKeyInput),
  summary: field('summary', 'true', booleanInput),
})

export const AGENT_FIELDS: Fields = agentFields('')
export const INPUT_NAMES = inputNames(AGENT_FIELDS)

export interface AgentInputs extends Parsed<ReturnType<typeof agentFields>> {
  readonly task: Task
  /** Undefined: every file counts. */
  readonly pathFilter: PathFilter | undefined
  /** What is allowed and probably not meant, as full sentences. */
  readonly warnings: readonly string[]
}

function pathFilterOf(paths: readonly PathRule[], ignored: readonly PathRule[]): PathFilter | undefined {
  if (paths.length > 0) return { kind: 'paths', rules: paths }
  return ignored.length > 0 ? { kind: 'paths-ignore', rules: ignored } : undefined
}

function warningsOf(raw: RawInputs): string[] {
  return ['paths', 'paths-ignore', 'allowed-paths'].flatMap((name) =>
    parsePathPatterns(raw[name] ?? '').warnings.map((warning) => `\`${name}\` ${warning}.`),
  )
}

/** @throws ActionError `invalid-input` that names every problem */
export function parseAgentInputs(raw: RawInputs, workspace: string): AgentInputs {
  const inputs = parseFields(agentFields(workspace), raw)
  return {
    ...inputs,
    // With a command, what is given here is the beginning of what a comment asks for.
    task: toTask(inputs.prompt ?? inputs.promptFile ?? (inputs.command === '' ? undefined : ''), inputs.jobId),
    pathFilter: pathFilterOf(inputs.paths, inputs.pathsIgnore),
    warnings: warningsOf(raw),
  }
}
