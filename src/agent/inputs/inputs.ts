import * as z from 'zod/mini'
import { ID_PATTERN } from '../../service/schemas.ts'
import {
  apiKeyInput,
  baseUrlInput,
  booleanInput,
  inputFrom,
  onMissingKeyInput,
  optionalInput,
  parseInputs,
  pollIntervalInput,
  projectIdInput,
  timeoutInput,
  withDefault,
  type Input,
  type RawInputs,
} from '../../shared/parse-inputs.ts'
import type { FileText } from '../../shared/workspace-file.ts'
import {
  GITHUB_INPUT_NAMES,
  githubInputFields,
  toGitHubInputs,
  type GitHubInputs,
  type GitHubRawInputs,
} from './github-inputs.ts'

/** What the step is asked to do. */
export type Task =
  | { readonly kind: 'create'; readonly prompt: string }
  | { readonly kind: 'follow-up'; readonly prompt: string; readonly jobId: string }
  | { readonly kind: 'attach'; readonly jobId: string }

export const FAIL_ON = ['failed', 'archived', 'timeout', 'no-changes', 'checks', 'out-of-scope'] as const
export type FailOn = (typeof FAIL_ON)[number]

/** What the job itself needs. */
export interface JobInputs {
  readonly task: Task
  readonly projectId: string
  readonly apiKey: string
  readonly baseUrl: string
  readonly wait: boolean
  readonly timeoutMs: number
  /** Undefined: the pace adapts to the job's age. */
  readonly pollIntervalMs: number | undefined
  readonly failOn: ReadonlySet<FailOn>
  readonly summary: boolean
}

export interface AgentInputs extends JobInputs {
  readonly github: GitHubInputs
}

export const INPUT_NAMES = [
  'prompt',
  'prompt-file',
  'project-id',
  'api-key',
  'base-url',
  'job-id',
  'wait',
  'timeout-minutes',
  'poll-interval-seconds',
  'fail-on',
  'on-missing-key',
  'summary',
  ...GITHUB_INPUT_NAMES,
] as const
export type AgentRawInputs = RawInputs<(typeof INPUT_NAMES)[number]>

export type ReadPromptFile = (path: string) => FileText

const BLANK = 'is blank; the agent needs an instruction'

const isBlank = (text: string): boolean => text.trim() === ''

const jobIdInput = inputFrom((text, refuse) => {
  const id = text.trim()
  return id === '' || ID_PATTERN.test(id) ? id : refuse('must be 1 to 128 letters, digits, `_` or `-`')
})

function isFailOn(word: string): word is FailOn {
  return (FAIL_ON as readonly string[]).includes(word)
}

/** What is asked for in another input only: without it the step could never know. */
const FAIL_ON_NEEDS: Readonly<Partial<Record<FailOn, (raw: GitHubRawInputs) => string | undefined>>> = {
  checks: (raw) => (/^\s*true\s*$/i.test(raw['wait-for-checks']) ? undefined : '`wait-for-checks: true`'),
  'out-of-scope': (raw) => (isBlank(raw['allowed-paths']) ? '`allowed-paths`' : undefined),
}

function failOnInput(raw: GitHubRawInputs): Input<ReadonlySet<FailOn>> {
  return inputFrom((text, refuse) => {
    const words = text.split(/[\s,]+/).filter((word) => word !== '')
    if (words.length === 1 && words[0] === 'none') return new Set()
    if (!words.every(isFailOn)) {
      const known = FAIL_ON.map((outcome) => `\`${outcome}\``).join(', ')
      return refuse(`must be a list of ${known}, or \`none\` alone`)
    }
    const problems = words.flatMap((word) => {
      const missing = FAIL_ON_NEEDS[word]?.(raw)
      return missing === undefined ? [] : [`has \`${word}\`, which is known only with ${missing}`]
    })
    return problems.length === 0 ? new Set(words) : refuse(...problems)
  })
}

/** Rules between inputs stand at one of them, as zod leaves out the rules of an object while a field of it is wrong. */
function inputsSchema(raw: AgentRawInputs, readPromptFile: ReadPromptFile) {
  const hasPrompt = raw.prompt !== ''
  const hasOther = !isBlank(raw['prompt-file']) || !isBlank(raw['job-id'])

  const promptInput = inputFrom((text, refuse) => {
    if (text !== '') return isBlank(text) ? refuse(BLANK) : text
    if (hasOther) return undefined
    return refuse('is missing; give `prompt` or `prompt-file`, or `job-id` alone to wait for a job')
  })

  const promptFileInput = inputFrom((text, refuse) => {
    if (isBlank(text)) return undefined
    if (hasPrompt) return refuse('must not be given together with `prompt`')
    const file = readPromptFile(text.trim())
    if (file.kind === 'problem') return refuse(file.problem)
    return isBlank(file.text) ? refuse(BLANK) : file.text
  })

  return z.object({
    prompt: promptInput,
    'prompt-file': promptFileInput,
    'project-id': projectIdInput,
    'api-key': apiKeyInput,
    'base-url': baseUrlInput,
    'job-id': jobIdInput,
    wait: withDefault(booleanInput, 'true'),
    'timeout-minutes': withDefault(timeoutInput, '60'),
    'poll-interval-seconds': optionalInput(pollIntervalInput),
    'fail-on': withDefault(failOnInput(raw), 'failed, archived, timeout'),
    'on-missing-key': withDefault(onMissingKeyInput, 'fail'),
    summary: withDefault(booleanInput, 'true'),
    ...githubInputFields(raw),
  })
}

function toTask(prompt: string | undefined, jobId: string): Task {
  if (prompt === undefined) return { kind: 'attach', jobId }
  return jobId === '' ? { kind: 'create', prompt } : { kind: 'follow-up', prompt, jobId }
}

/** @throws ActionError `invalid-input` that names every problem */
export function parseAgentInputs(raw: AgentRawInputs, readPromptFile: ReadPromptFile): AgentInputs {
  const inputs = parseInputs(inputsSchema(raw, readPromptFile), raw)
  return {
    task: toTask(inputs.prompt ?? inputs['prompt-file'], inputs['job-id']),
    projectId: inputs['project-id'],
    apiKey: inputs['api-key'],
    baseUrl: inputs['base-url'],
    wait: inputs.wait,
    timeoutMs: inputs['timeout-minutes'],
    pollIntervalMs: inputs['poll-interval-seconds'],
    failOn: inputs['fail-on'],
    summary: inputs.summary,
    github: toGitHubInputs(inputs),
  }
}
