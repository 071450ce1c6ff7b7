import { MAINTAINER } from '../../../src/emulator/github/demo-state.ts'
import { ALL_PERMISSIONS, type PermissionName, type TokenPermissions } from '../../../src/emulator/github/state.ts'
import { DEMO_PREFIX, DemoValues } from './expressions.ts'
import type { DispatchInput, Job } from './workflow-file.ts'

type Texts = Readonly<Record<string, string>>

/** The default of new repositories, without packages and metadata. */
const DEFAULT_PERMISSIONS: TokenPermissions = { contents: 'read' }

const isPermissionName = (name: string): name is PermissionName => name in ALL_PERMISSIONS

/**
 * What the workflow's own token may do in a job.
 * @param allowed what the caller of its workflow allows
 */
export function getPermissions(
  { permissions }: Pick<Job, 'permissions'>,
  allowed?: TokenPermissions,
): TokenPermissions {
  if (permissions === undefined) return allowed ?? DEFAULT_PERMISSIONS
  if (permissions === 'write-all') return ALL_PERMISSIONS
  const given =
    permissions === 'read-all'
      ? Object.fromEntries(Object.keys(ALL_PERMISSIONS).map((name) => [name, 'read']))
      : permissions
  return Object.fromEntries(Object.entries(given).filter(([name, level]) => isPermissionName(name) && level !== 'none'))
}

const LEVELS = [undefined, 'read', 'write']

/** GitHub's sentence about a job of a called workflow that wants more than its caller allows. Undefined if none does. */
export function findExcess(job: Pick<Job, 'id' | 'permissions'>, allowed: TokenPermissions): string | undefined {
  const [excess] = Object.entries(getPermissions(job, allowed)).filter(
    ([name, level]) => isPermissionName(name) && LEVELS.indexOf(level) > LEVELS.indexOf(allowed[name]),
  )
  if (excess === undefined) return undefined
  const [name, level] = excess
  const has = isPermissionName(name) ? (allowed[name] ?? 'none') : 'none'
  return `The nested job '${job.id}' is requesting '${name}: ${level}', but is only allowed '${name}: ${has}'.`
}

/** `vars` and `secrets`: what was given, and demo values. @param onDemo called with each name that got a demo value */
export function createDemoValues(known: Texts, onDemo?: (name: string) => void): DemoValues {
  return new DemoValues(known, (name) => {
    onDemo?.(name)
    return DEMO_PREFIX + name
  })
}

/** The outputs of a step or job that is not run. */
export const createDemoOutputs = (id: string, known: Texts = {}): DemoValues =>
  new DemoValues(known, (name) => `${DEMO_PREFIX}${id}-${name}`)

function chooseValue({ name, type, isRequired, default: usual, options }: DispatchInput): string {
  if (usual !== undefined) return usual
  if (type === 'choice') return options[0] ?? ''
  if (type === 'boolean') return 'false'
  if (type === 'number') return '0'
  return isRequired ? `demo-${name}` : ''
}

const getInput = (input: DispatchInput, given: Texts): string =>
  (Object.hasOwn(given, input.name) ? given[input.name] : undefined) ?? chooseValue(input)

type InputValue = string | number | boolean

/** The values of inputs by their types. A missing one has its default, or a value of its type. */
export function typeInputs(defined: readonly DispatchInput[], given: Texts): Readonly<Record<string, InputValue>> {
  return Object.fromEntries(
    defined.map((input): [string, InputValue] => {
      const text = getInput(input, given)
      if (input.type === 'boolean') return [input.name, text === 'true']
      return [input.name, input.type === 'number' ? Number(text) : text]
    }),
  )
}

/**
 * The inputs of `workflow_dispatch`, by their types.
 * @throws Error for a given input that the file does not have
 */
export function createInputs(
  defined: readonly DispatchInput[],
  given: Texts,
): Readonly<Record<string, string | number | boolean>> {
  const unknown = Object.keys(given).find((name) => defined.every((input) => input.name !== name))
  if (unknown !== undefined) {
    const known = defined.length === 0 ? 'It has none.' : `It has: ${defined.map(({ name }) => name).join(', ')}.`
    throw new Error(`\`on.workflow_dispatch\` has no input ${unknown}. ${known}`)
  }
  for (const input of defined) {
    const text = getInput(input, given)
    const allowed = input.type === 'boolean' ? ['true', 'false'] : input.options
    if (allowed.length > 0 && !allowed.includes(text))
      throw new Error(`Provided value '${text}' for input '${input.name}' not in the list of allowed values`)
  }
  return typeInputs(defined, given)
}

interface DescribedRun {
  readonly event: string
  readonly payload: unknown
  /** Such as `refs/heads/main`. */
  readonly ref: string
  readonly sha: string
  readonly id: number
  readonly number: number
  /** The name of the workflow, or its path. */
  readonly workflow: string
  /** `owner/name` */
  readonly repository: string
}

/** The fields of the context `github` that are variables of each step too, such as `GITHUB_SHA`. */
function describeRun({ event, ref, sha, id, number, workflow, repository }: DescribedRun): Texts {
  return {
    event_name: event,
    repository,
    repository_owner: repository.replace(/\/.*/, ''),
    ref,
    ref_name: ref.replace(/^refs\/\w+\//, ''),
    ref_type: ref.startsWith('refs/tags/') ? 'tag' : 'branch',
    sha,
    actor: MAINTAINER,
    triggering_actor: MAINTAINER,
    run_id: String(id),
    run_number: String(number),
    run_attempt: '1',
    workflow,
    // The embedded GitHub has earlier runs of this file.
    workflow_ref: `${repository}/.github/workflows/docs.yml@${ref}`,
  }
}

/** The context `github` of a run, and its variables. @param others fields that are no variables */
export function createGitHubContext(
  run: DescribedRun,
  others: Texts,
): { readonly github: Readonly<Record<string, unknown>>; readonly variables: Texts } {
  const described = describeRun(run)
  const variables = Object.entries(described).map(([name, value]) => [`GITHUB_${name.toUpperCase()}`, value] as const)
  return {
    github: { ...described, base_ref: '', head_ref: '', ...others, event: run.payload },
    variables: Object.fromEntries(variables),
  }
}
