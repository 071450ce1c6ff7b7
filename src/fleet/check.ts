/** Checks the inputs of `fleet.yml`, and creates the matrix of its projects. */
import {
  booleanInput,
  choiceInput,
  field,
  type Input,
  inputThat,
  isGiven,
  type Parsed,
  parseFields,
  type RawInputs,
  readRawInputs,
  refuse,
  appendRejectedValue,
  textInput,
  timeoutInput,
  wholeNumberInput,
} from '../action/inputs.ts'
import type { Host, StepResult } from '../action/step.ts'
import { ActionError, asExpectedError } from '../runtime/errors.ts'
import { formatCount } from '../text/format.ts'
import { createRows, findSharedPullRequests, parseProjects, type Project, type Row } from './projects.ts'

const isTrue = (raw: RawInputs, name: string): boolean => /^\s*true\s*$/i.test(raw[name] ?? '')
const opensNew = (raw: RawInputs): boolean => !isGiven(raw, 'on-open-pr') || raw['on-open-pr']?.trim() === 'new'

const projectsInput: Input<readonly Project[]> = (text, raw) => {
  const { projects, problems } = parseProjects(text)
  const shared = opensNew(raw) ? [] : findSharedPullRequests(createRows(projects, raw))
  const all = [...problems, ...shared]
  return all.length === 0 ? projects : refuse(...all)
}

const anyText: Input<string> = (text) => text

const fixRoundsInput = inputThat(
  wholeNumberInput(0, 5, ' of rounds'),
  (rounds, raw) => rounds > 0 && !isTrue(raw, 'wait-for-checks') && 'needs `wait-for-checks: true`',
)

const spreadInput: Input<number> = (text, raw) =>
  /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : refuse(appendRejectedValue('must be a number of minutes', text, raw))

/** The job of a project ends after 350 minutes. The rest is for the steps before and after the action. */
const MAX_PROJECT_MINUTES = 340

const projectTimeoutInput = inputThat(
  timeoutInput,
  (timeoutMs, raw) =>
    timeoutMs / 60_000 + Number(raw['spread-minutes']) > MAX_PROJECT_MINUTES &&
    `and \`spread-minutes\` must be at most ${MAX_PROJECT_MINUTES} together, because the job of a project ends after 350 minutes`,
)

/** The label that a project without a token has too, and that then has no effect. */
const DEFAULT_LABEL = 'docs-agent'

/** Lists the given inputs that use the projects' repositories. */
function listUsesOfGitHub(raw: RawInputs): readonly string[] {
  const rows = createRows(parseProjects(raw['projects'] ?? '').projects, raw)
  const uses: Readonly<Record<string, boolean>> = {
    'on-open-pr': !opensNew(raw),
    label: rows.some(({ label = DEFAULT_LABEL }) => label !== DEFAULT_LABEL),
    'pr-repository': rows.some((row) => row['pr-repository'] !== undefined),
    'allowed-paths': rows.some((row) => row['allowed-paths'] !== undefined),
    reviewers: rows.some(({ reviewers }) => reviewers !== undefined),
    'wait-for-checks': isTrue(raw, 'wait-for-checks'),
  }
  return Object.keys(uses).filter((name) => uses[name])
}

const appClientIdInput = inputThat(anyText, (id, raw) => {
  if (id !== '') return !isTrue(raw, 'has-app-key') && 'needs the secret `app-private-key`'
  if (isTrue(raw, 'has-token')) return false
  const uses = listUsesOfGitHub(raw)
  const listed = uses.map((name) => `\`${name}\``).join(', ')
  return (
    uses.length > 0 &&
    `is missing, and so is the secret \`github-token\`, but ${listed} need a token for the projects' repositories; give one of them`
  )
})

/** Every input of fleet/check/action.yml, in its order. */
export const CHECK_FIELDS = {
  projects: field('projects', '', projectsInput),
  name: field('name', '', textInput(/^\w{1,50}$/, 'must be 1 to 50 letters, digits or `_`')),
  onOpenPr: field('on-open-pr', 'new', choiceInput(['new', 'follow-up', 'skip'])),
  label: field('label', '', anyText),
  allowedPaths: field('allowed-paths', '', anyText),
  waitForChecks: field('wait-for-checks', 'false', booleanInput),
  fixRounds: field('fix-rounds', '0', fixRoundsInput),
  reviewers: field('reviewers', '', anyText),
  appClientId: field('app-client-id', '', appClientIdInput),
  maxParallel: field('max-parallel', '5', wholeNumberInput(1, 256)),
  spreadMinutes: field('spread-minutes', '0', spreadInput),
  timeoutMs: field('timeout-minutes', '50', projectTimeoutInput),
  hasAppKey: field('has-app-key', 'false', booleanInput),
  hasToken: field('has-token', 'false', booleanInput),
  repository: field('repository', '', anyText),
}

/** So many problems of `projects` fit into the annotation. */
const MAX_PROBLEMS = 25

/** An app's token lasts 60 minutes. */
const MAX_APP_TIMEOUT_MS = 55 * 60_000

function parseInputs(raw: RawInputs): Parsed<typeof CHECK_FIELDS> {
  try {
    return parseFields(CHECK_FIELDS, raw, '', MAX_PROBLEMS)
  } catch (caught) {
    const { code, message } = asExpectedError(caught)
    const hint = 'Nothing was sent. Correct the `with:` block of the job that calls `fleet.yml`.'
    throw new ActionError(code, message, { hint })
  }
}

export interface FleetPlan {
  readonly rows: readonly (Row & { readonly start?: number })[]
  /** A probable mistake in valid inputs, as full sentences. */
  readonly warning: string | undefined
}

/**
 * @param nowMs the wall time, from which the starts of the projects are spread
 * @throws ActionError `invalid-input` that lists all problems
 */
export function planFleet(raw: RawInputs, nowMs: number): FleetPlan {
  const { projects, spreadMinutes, appClientId, timeoutMs } = parseInputs(raw)
  const stepSeconds = (spreadMinutes * 60) / projects.length
  const rows = createRows(projects, raw).map((row, index) =>
    spreadMinutes === 0 ? row : { ...row, start: Math.floor(nowMs / 1_000 + index * stepSeconds) },
  )
  const warning =
    appClientId !== '' && timeoutMs > MAX_APP_TIMEOUT_MS
      ? "An app's token lasts 60 minutes. Set `timeout-minutes` to 55 or less, so that the step can still use GitHub at its end."
      : undefined
  return { rows, warning }
}

export async function checkFleet({ runner, clock }: Host): Promise<StepResult> {
  const raw = readRawInputs(runner, CHECK_FIELDS)
  const { rows, warning } = planFleet(raw, clock.wallTime().getTime())
  if (warning !== undefined) runner.warn(warning)
  const names = rows.map(({ project }) => project).join(' ')
  return Promise.resolve({
    isGreen: true,
    title: 'The inputs are valid',
    text: `The fleet has ${formatCount(rows.length, 'project')}.`,
    outputs: { names, matrix: JSON.stringify(rows) },
  })
}
