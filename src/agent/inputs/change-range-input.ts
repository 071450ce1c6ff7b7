import { refuse, type Input } from '../../action/parse-inputs.ts'

/** Which change `change-range` asks for. */
export type RequestedRange =
  /** The event's own. */
  | { readonly kind: 'event' }
  | { readonly kind: 'since-last-success' }
  | {
      readonly kind: 'between'
      /** `owner/name`; undefined for the repository of the run. */
      readonly repository: string | undefined
      readonly base: string
      readonly head: string
    }
  /** The pull request's own change. */
  | {
      readonly kind: 'pull-request'
      /** `owner/name`; undefined for the repository of the run. */
      readonly repository: string | undefined
      readonly number: number
    }

/** A tag may have an `@` in it too, so only what looks like `owner/name` before the first one is a repository. `.` and `..` are no names. */
const WITH_REPOSITORY = /^([A-Za-z0-9][A-Za-z0-9-]*\/(?!\.{1,2}@)[\w.-]+)@(.*)$/

/** Not `#123`, which YAML reads as a comment. */
const PULL_REQUEST = /^(?:([A-Za-z0-9][A-Za-z0-9-]*\/(?!\.{1,2}\/)[\w.-]+)\/)?pull\/([1-9]\d{0,8})$/

/** What Git allows in the name of a branch or a tag, and a commit's id is a part of it. */
const REF = /^(?![-/.])(?!.*(?:\.\.|@\{|\/\/))[^\s\x00-\x20\x7f~^:?*[\\]{1,255}(?<![/.])$/

const RULE =
  'must be empty, `since-last-success`, `pull/123`, `owner/name/pull/123`, `BASE...HEAD` or `owner/name@BASE...HEAD`, where BASE and HEAD are commits, branches or tags'

export const changeRangeInput: Input<RequestedRange> = (asked) => {
  if (asked === '') return { kind: 'event' }
  if (asked === 'since-last-success') return { kind: 'since-last-success' }
  const pullRequest = PULL_REQUEST.exec(asked)
  if (pullRequest !== null) return { kind: 'pull-request', repository: pullRequest[1], number: Number(pullRequest[2]) }
  const [, repository, ends = asked] = WITH_REPOSITORY.exec(asked) ?? []
  const [base = '', head = '', ...others] = ends.split('...')
  if (others.length > 0 || !REF.test(base) || !REF.test(head)) return refuse(RULE)
  return { kind: 'between', repository, base, head }
}
