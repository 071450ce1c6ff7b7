import { MAINTAINER } from '../../../src/emulator/github/demo-state.ts'
import { ALL_PERMISSIONS, type PermissionName, type TokenPermissions } from '../../../src/emulator/github/state.ts'
import { DEMO_PREFIX, DemoValues } from './expressions.ts'
import type { DispatchInput, Job } from './workflow-file.ts'

type Texts = Readonly<Record<string, string>>

/** The default of new repositories, without packages and metadata. */
const DEFAULT_PERMISSIONS: TokenPermissions = { contents: 'read' }

const isPermissionName = (name: string): name is PermissionName => name in ALL_PERMISSIONS

/** What the workflow's own token may do in a job. */
export function getPermissions({ permissions }: Pick<Job, 'permissions'>): TokenPermissions {
  if (permissions === undefined) return DEFAULT_PERMISSIONS
  if (permissions === 'write-all') return ALL_PERMISSIONS
  const given =
    permissions === 'read-all'
      ? Object.fromEntries(Object.keys(ALL_PERMISSIONS).map((name) => [name, 'read']))
      : permissions
  return Object.fromEntries(Object.entries(given).filter(([name, level]) => isPermissionName(name) && level !== 'none'))
}

/** `vars` and `secrets`: what was given, and demo values. @param onDemo called with each name that got a demo value */
export function createDemoValues(known: Texts, onDemo?: (name: string) => void): DemoValues {
  return new DemoValues(known, (name) => {
    onDemo?.(name)
    return DEMO_PREFIX + name
  })
}

/** The outputs of a step or job that is not played. */
export const createDemoOutputs = (id: string): DemoValues => new DemoValues({}, (name) => `${DEMO_PREFIX}${id}-${name}`)

function chooseValue({ name, type, isRequired, default: usual, options }: DispatchInput): string {
  if (usual !== undefined) return usual
  if (type === 'choice') return options[0] ?? ''
  if (type === 'boolean') return 'false'
  if (type === 'number') return '0'
  return isRequired ? `demo-${name}` : ''
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
  return Object.fromEntries(
    defined.map((input): [string, string | number | boolean] => {
      const text = Object.hasOwn(given, input.name) ? (given[input.name] ?? '') : chooseValue(input)
      const allowed = input.type === 'boolean' ? ['true', 'false'] : input.options
      if (allowed.length > 0 && !allowed.includes(text))
        throw new Error(`Provided value '${text}' for input '${input.name}' not in the list of allowed values`)
      if (input.type === 'boolean') return [input.name, text === 'true']
      return [input.name, input.type === 'number' ? Number(text) : text]
    }),
  )
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
