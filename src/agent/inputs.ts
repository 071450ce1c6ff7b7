import * as z from 'zod'
import { ID_PATTERN } from '../service/schemas.ts'
import {
  apiKeyInput,
  baseUrlInput,
  booleanInput,
  onMissingKeyInput,
  optionalInput,
  parseInputs,
  pollIntervalInput,
  projectIdInput,
  timeoutInput,
  withDefault,
  type RawInputs,
} from '../shared/parse-inputs.ts'
import type { FileText } from '../shared/workspace-file.ts'

/** What the step is asked to do. */
export type Task =
  | { readonly kind: 'create'; readonly prompt: string }
  | { readonly kind: 'follow-up'; readonly prompt: string; readonly jobId: string }
  | { readonly kind: 'attach'; readonly jobId: string }

export const FAIL_ON = ['failed', 'archived', 'timeout', 'no-changes'] as const
export type FailOn = (typeof FAIL_ON)[number]

export interface AgentInputs {
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
] as const
export type AgentRawInputs = RawInputs<(typeof INPUT_NAMES)[number]>

export type ReadPromptFile = (path: string) => FileText

const BLANK = 'is blank; the agent needs an instruction'

const isBlank = (text: string): boolean => text.trim() === ''

const jobIdInput = z
  .string()
  .trim()
  .refine((id) => id === '' || ID_PATTERN.test(id), 'must be 1 to 128 letters, digits, `_` or `-`')

const failOnInput = z.string().transform((text, context): ReadonlySet<FailOn> => {
  const words = text.split(/[\s,]+/).filter((word) => word !== '')
  if (words.length === 1 && words[0] === 'none') return new Set()
  const outcomes = z.array(z.enum(FAIL_ON)).safeParse(words)
  if (outcomes.success) return new Set(outcomes.data)
  const known = FAIL_ON.map((outcome) => `\`${outcome}\``).join(', ')
  context.addIssue({ code: 'custom', message: `must be a list of ${known}, or \`none\` alone` })
  return z.NEVER
})

/** Rules between inputs stand at one of them, as zod leaves out the rules of an object while a field of it is wrong. */
function inputsSchema(raw: AgentRawInputs, readPromptFile: ReadPromptFile) {
  const hasPrompt = raw.prompt !== ''
  const hasOther = !isBlank(raw['prompt-file']) || !isBlank(raw['job-id'])

  const promptFileInput = z
    .string()
    .trim()
    .transform((path, context) => {
      if (path === '') return undefined
      const file: FileText = hasPrompt
        ? { kind: 'problem', problem: 'must not be given together with `prompt`' }
        : readPromptFile(path)
      if (file.kind === 'text' && !isBlank(file.text)) return file.text
      context.addIssue({ code: 'custom', message: file.kind === 'text' ? BLANK : file.problem })
      return z.NEVER
    })

  return z.object({
    prompt: z
      .string()
      .refine((text) => text === '' || !isBlank(text), BLANK)
      .refine(
        () => hasPrompt || hasOther,
        'is missing; give `prompt` or `prompt-file`, or `job-id` alone to wait for a job',
      ),
    'prompt-file': promptFileInput,
    'project-id': projectIdInput,
    'api-key': apiKeyInput,
    'base-url': baseUrlInput,
    'job-id': jobIdInput,
    wait: withDefault(booleanInput, 'true'),
    'timeout-minutes': withDefault(timeoutInput, '60'),
    'poll-interval-seconds': optionalInput(pollIntervalInput),
    'fail-on': withDefault(failOnInput, 'failed, archived, timeout'),
    'on-missing-key': withDefault(onMissingKeyInput, 'fail'),
    summary: withDefault(booleanInput, 'true'),
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
    task: toTask(inputs.prompt === '' ? inputs['prompt-file'] : inputs.prompt, inputs['job-id']),
    projectId: inputs['project-id'],
    apiKey: inputs['api-key'],
    baseUrl: inputs['base-url'],
    wait: inputs.wait,
    timeoutMs: inputs['timeout-minutes'],
    pollIntervalMs: inputs['poll-interval-seconds'],
    failOn: inputs['fail-on'],
    summary: inputs.summary,
  }
}
