/** The table of the inputs of the agent's action. Each feature brings its own rows; the others are here. */
import {
  apiKeyInput,
  baseUrlInput,
  booleanInput,
  field,
  type Field,
  hashInputs,
  type Input,
  inputThat,
  isGiven,
  isTrue,
  jobIdInput,
  linesField,
  toItems,
  optionalInput,
  parseFields,
  pollIntervalInput,
  type RawInputs,
  rejectInput,
  appendRejectedValue,
  SERVICE_FIELDS,
  timeoutInput,
  tokenInput,
  removeSecrets,
} from '../action/inputs.ts'
import { EXEMPT_FIELDS } from './features/exempt.ts'
import { readWorkspaceFile } from '../action/workspace-file.ts'
import { CHANGE_FIELDS } from './change/change.ts'
import { LOOP_FIELDS } from './change/loop.ts'
import { CHECKS_FIELDS, isAwaitingChecks } from './features/checks.ts'
import { COMMAND_FIELDS } from './features/command.ts'
import { FIX_ROUNDS_FIELDS } from './features/fix-rounds.ts'
import { REVIEWERS_FIELDS } from './features/reviewers.ts'
import { ROLLING_FIELDS } from './features/rolling.ts'
import { SCOPE_FIELDS } from './features/scope.ts'
import { TRACK_FIELDS } from './features/track.ts'
import { joinWords } from '../text/format.ts'
import { FAIL_ON, type FailOn, type AgentInputs, type InputValues, type Task } from './facts.ts'

export const isDryRunRequested = (raw: RawInputs): boolean => isTrue(raw, 'dry-run')

/** Makes an input optional in a dry run. */
const unlessDryRun =
  (input: Input<string>): Input<string> =>
  (text, raw, workspace) =>
    text === '' && isDryRunRequested(raw) ? '' : input(text, raw, workspace)

const dryRunInput = inputThat(booleanInput, (dryRun, raw) => {
  const hasPrompt = ['prompt', 'prompt-file'].some((name) => isGiven(raw, name))
  return dryRun && isGiven(raw, 'job-id') && !hasPrompt && 'needs a prompt: a step with `job-id` alone sends nothing'
})

const isFailOn = (word: string): word is FailOn => (FAIL_ON as readonly string[]).includes(word)

/** Returns the other input that a word requires; undefined if that input is set or none is required. */
function findMissingInput(word: FailOn, raw: RawInputs): string | undefined {
  if (word === 'checks' && !isAwaitingChecks(raw)) return '`wait-for-checks: true`'
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
    const withoutSecrets = toItems(removeSecrets(text, raw)).map(({ item }) => item)
    const wrong = withoutSecrets.find((word) => !isFailOn(word) && word !== 'none') ?? text
    const known = FAIL_ON.map((outcome) => `\`${outcome}\``).join(', ')
    return rejectInput(appendRejectedValue(`must be a list of ${known}, or \`none\` alone`, wrong, raw))
  }
  const problems = words.flatMap((word) => {
    const missing = findMissingInput(word, raw)
    return missing === undefined ? [] : [`has \`${word}\`, which requires ${missing}`]
  })
  return problems.length === 0 ? new Set(words) : rejectInput(...problems)
}

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

/** The inputs that the step can apply only at the end of a job, and whether each one is set. */
const APPLIED_AT_END: Readonly<Record<string, (raw: RawInputs) => boolean>> = {
  'wait-for-checks': (raw) => isTrue(raw, 'wait-for-checks'),
  'allowed-paths': (raw) => isGiven(raw, 'allowed-paths'),
  'fix-rounds': (raw) => Number(raw['fix-rounds'] ?? '') > 0,
  reviewers: (raw) => isGiven(raw, 'reviewers'),
}

const waitInput = inputThat(booleanInput, (wait, raw) => {
  const names = Object.entries(APPLIED_AT_END).flatMap(([name, isSet]) => (isSet(raw) ? [`\`${name}\``] : []))
  if (wait || names.length === 0) return false
  return `cannot be \`false\` together with ${joinWords(names)}: the step would end before there is anything to check`
})

/** Every input of the action, in the order of action.yml, which has the defaults of `label` and `github-token`: empty means none. */
export const AGENT_FIELDS = {
  prompt: field('prompt', '', promptInput),
  promptFile: field('prompt-file', '', promptFileInput),
  jobId: field('job-id', '', jobIdInput),
  ...COMMAND_FIELDS,
  dryRun: field('dry-run', 'false', dryRunInput),
  projectId: SERVICE_FIELDS.projectId,
  apiKey: field('api-key', '', unlessDryRun(apiKeyInput)),
  baseUrl: field('base-url', '', unlessDryRun(baseUrlInput)),
  wait: field('wait', 'true', waitInput),
  timeoutMs: field('timeout-minutes', '60', timeoutInput),
  pollIntervalMs: field('poll-interval-seconds', '', optionalInput(pollIntervalInput)),
  ...CHANGE_FIELDS,
  ...EXEMPT_FIELDS,
  ...LOOP_FIELDS,
  ...ROLLING_FIELDS,
  ...TRACK_FIELDS,
  ...CHECKS_FIELDS,
  ...FIX_ROUNDS_FIELDS,
  ...SCOPE_FIELDS,
  ...REVIEWERS_FIELDS,
  githubToken: field('github-token', '', tokenInput),
  /** Empty: all words except `no-changes` whose required inputs are set. */
  failOn: linesField('fail-on', failOnInput),
} satisfies { readonly [Key in keyof InputValues]: Field<InputValues[Key]> }

/** Without a prompt and a job there is a command. With a command, the prompt is the house rules, which precede the comment's text. */
export function toTask(prompt: string | undefined, jobId: string | undefined): Task {
  if (jobId === undefined) return { kind: 'create', prompt: prompt ?? '' }
  return prompt === undefined ? { kind: 'attach', jobId } : { kind: 'follow-up', prompt, jobId }
}

/** Adds the context after the prompt. A task that only attaches to a job has no prompt. */
export function appendContext(task: Task, context: string): Task {
  return task.kind === 'attach' ? task : { ...task, prompt: task.prompt + context }
}

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

const INPUT_NAMES = Object.values(AGENT_FIELDS).map(({ name }) => name)
const NAMED_INPUT = new RegExp(`\`(?:${INPUT_NAMES.join('|')})[\`:]`)

/** Whether a text names inputs, which say nothing to people who do not maintain the workflow. */
export const namesInputs = (text: string): boolean => NAMED_INPUT.test(text)
