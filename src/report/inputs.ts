/** The inputs of the report: names, defaults and checks. */
import {
  field,
  type Input,
  inputThat,
  labelInput,
  type Parsed,
  parseFields,
  type RawInputs,
  rejectInput,
  repositoryInput,
  toItems,
  tokenInput,
  wholeNumberInput,
} from '../action/inputs.ts'
import type { StepInputs } from '../action/step.ts'

const labelsInput: Input<readonly string[]> = (text, ...rest) => {
  const labels = toItems(text).map(({ item }) => labelInput(item, ...rest))
  if (labels.length === 0) return rejectInput('is empty, but only pull requests with a label have a history')
  if (labels.includes('*')) return rejectInput('needs a name before `*`: other bots use labels, too')
  return labels
}

/** Every input of the action, in the order of report/action.yml, which has the defaults of `label` and `github-token`. */
export const REPORT_FIELDS = {
  days: field('days', '30', wholeNumberInput(1, 366, ' of days')),
  /** `*` at the end of a label stands for any text. */
  labels: field('label', '', labelsInput),
  /** Empty: the repository of the run. */
  prRepository: field('pr-repository', '', repositoryInput),
  githubToken: field(
    'github-token',
    '',
    inputThat(tokenInput, (token) => token === '' && 'is empty, but everything is read from GitHub'),
  ),
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
