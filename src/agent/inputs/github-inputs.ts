import {
  booleanInput,
  choiceInput,
  inputFrom,
  textInput,
  wholeNumberInput,
  withDefault,
  type Input,
  type RawInputs,
} from '../../shared/parse-inputs.ts'
import { CHANGE_CONTEXTS, type ChangeContext } from '../change/change-context.ts'
import type { PathFilter } from './path-filter.ts'
import { parsePathPatterns, type PathRule } from './path-patterns.ts'

/** What the step shall do with GitHub, before the job and after it. */
export interface GitHubInputs {
  /** Empty: nothing is asked of GitHub. */
  readonly token: string
  readonly changeContext: ChangeContext
  /** In bytes of UTF-8. */
  readonly changeContextBytes: number
  /** Undefined: every file counts. */
  readonly pathFilter: PathFilter | undefined
  readonly skipOwnChanges: boolean
  /** Empty: nothing is put on the pull request, no label and no marker. */
  readonly label: string
  readonly waitForChecks: boolean
  /** Undefined: it is not asked whether the pull request keeps to them. */
  readonly allowedPaths: readonly PathRule[] | undefined
}

export const GITHUB_INPUT_NAMES = [
  'github-token',
  'change-context',
  'change-context-bytes',
  'paths',
  'paths-ignore',
  'skip-own-changes',
  'label',
  'wait-for-checks',
  'allowed-paths',
] as const
export type GitHubRawInputs = RawInputs<(typeof GITHUB_INPUT_NAMES)[number]>

const FEWEST_BYTES = 1024
const MOST_BYTES = 1024 * 1024

const changeContextInput = choiceInput(CHANGE_CONTEXTS, 'must be `none`, `commits`, `files` or `diff`')

const tokenInput = textInput(
  /^[\x21-\x7e]{0,4096}$/,
  'holds a space, a line end or another character that no token has, or is longer than 4096 characters',
)

/** GitHub's own limit for the name of a label. */
const labelInput = textInput(
  /^[^\p{Cc},]{0,50}$/u,
  'must be the name of one label, at most 50 characters, without a comma',
)

function patternsInput(isForbidden: boolean): Input<readonly PathRule[]> {
  return inputFrom((text, refuse) => {
    const { rules, problems } = parsePathPatterns(text)
    if (isForbidden && text.trim() !== '')
      return refuse('must not be given together with `paths`; there, lines that begin with `!` leave files out')
    return problems.length === 0 ? rules : refuse(...problems)
  })
}

/** What the schema makes of each input. */
interface ParsedFields {
  readonly 'github-token': string
  readonly 'change-context': ChangeContext
  readonly 'change-context-bytes': number
  readonly paths: readonly PathRule[]
  readonly 'paths-ignore': readonly PathRule[]
  readonly 'skip-own-changes': boolean
  readonly label: string
  readonly 'wait-for-checks': boolean
  readonly 'allowed-paths': readonly PathRule[]
}
type Fields = { readonly [Name in keyof ParsedFields]: Input<ParsedFields[Name]> }

/** The fields of the inputs' schema that are about GitHub. */
export function githubInputFields(raw: GitHubRawInputs): Fields {
  return {
    'github-token': tokenInput,
    'change-context': withDefault(changeContextInput, 'none'),
    'change-context-bytes': withDefault(wholeNumberInput(FEWEST_BYTES, MOST_BYTES, ' of bytes'), '65536'),
    paths: patternsInput(false),
    'paths-ignore': patternsInput(raw.paths.trim() !== ''),
    'skip-own-changes': withDefault(booleanInput, 'true'),
    label: labelInput,
    'wait-for-checks': withDefault(booleanInput, 'false'),
    'allowed-paths': patternsInput(false),
  }
}

function pathFilterOf(paths: readonly PathRule[], ignored: readonly PathRule[]): PathFilter | undefined {
  if (paths.length > 0) return { kind: 'paths', rules: paths }
  return ignored.length > 0 ? { kind: 'paths-ignore', rules: ignored } : undefined
}

export function toGitHubInputs(fields: ParsedFields): GitHubInputs {
  const allowed = fields['allowed-paths']
  return {
    token: fields['github-token'],
    changeContext: fields['change-context'],
    changeContextBytes: fields['change-context-bytes'],
    pathFilter: pathFilterOf(fields.paths, fields['paths-ignore']),
    skipOwnChanges: fields['skip-own-changes'],
    label: fields.label,
    waitForChecks: fields['wait-for-checks'],
    allowedPaths: allowed.length === 0 ? undefined : allowed,
  }
}
