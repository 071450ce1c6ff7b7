/** The inputs of the report: names, defaults and checks. */
import {
  appendRejectedValue,
  choiceInput,
  field,
  type Input,
  inputThat,
  labelInput,
  linesField,
  optionalInput,
  type Parsed,
  parseFields,
  type RawInputs,
  REF_PATTERN,
  refuse,
  repositoryInput,
  skipLabelsInput,
  tokenInput,
  wholeNumberInput,
} from '../action/inputs.ts'
import type { StepInputs } from '../action/step.ts'

/** Two commits, branches or tags. */
export interface Range {
  readonly base: string
  readonly head: string
}

const rangeInput: Input<Range> = (text, raw) => {
  const [base = '', head = '', ...others] = text.split('...')
  if (others.length === 0 && REF_PATTERN.test(base) && REF_PATTERN.test(head)) return { base, head }
  return refuse(
    appendRejectedValue('must be `BASE...HEAD`, where BASE and HEAD are commits, branches or tags', text, raw),
  )
}

export const REPORT_FAIL_ON = ['none', 'no-trace'] as const

/** Every input of the action, in the order of report/action.yml, which has the defaults of `label` and `github-token`. */
export const REPORT_FIELDS = {
  /** Undefined: from the newest release to the commit of the run. */
  range: field('range', '', optionalInput(rangeInput)),
  skipLabels: linesField('skip-labels', skipLabelsInput),
  days: field('days', '30', wholeNumberInput(1, 366, ' of days')),
  label: field(
    'label',
    '',
    inputThat(labelInput, (label) => label === '' && 'is empty, but only pull requests with a label have a history'),
  ),
  /** Empty: the repository of the run. */
  prRepository: field('pr-repository', '', repositoryInput),
  githubToken: field(
    'github-token',
    '',
    inputThat(tokenInput, (token) => token === '' && 'is empty, but everything is read from GitHub'),
  ),
  failOn: field('fail-on', 'none', choiceInput(REPORT_FAIL_ON)),
}

export interface ReportInputs extends Parsed<typeof REPORT_FIELDS>, StepInputs {
  readonly githubToken: string
}

/** Longer than a rate limit of an hour would be useless: the report can run again. */
const TIMEOUT_MS = 15 * 60_000

/** The report sends no request to the documentation service. */
const NO_SERVICE = { projectId: '', apiKey: '', baseUrl: '' }

/** @throws ActionError `invalid-input` that names every problem */
export function parseReportInputs(raw: RawInputs, workspace: string): ReportInputs {
  return { ...parseFields(REPORT_FIELDS, raw, workspace), ...NO_SERVICE, timeoutMs: TIMEOUT_MS }
}
