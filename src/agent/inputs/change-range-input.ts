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

/** A tag may have an `@` in it too, so only what looks like `owner/name` before the first one is a repository. `.` and `..` are no names. */
const WITH_REPOSITORY = /^([A-Za-z0-9][A-Za-z0-9-]*\/(?!\.{1,2}@)[\w.-]+)@(.*)$/

/** What Git allows in the name of a branch or a tag, and a commit's id is a part of it. */
const REF = /^(?![-/.])(?!.*(?:\.\.|@\{|\/\/))[^\s\x00-\x20\x7f~^:?*[\\]{1,255}(?<![/.])$/

const RULE =
  'must be empty, `since-last-success`, `BASE...HEAD` or `owner/name@BASE...HEAD`, where BASE and HEAD are commits, branches or tags'

export const changeRangeInput: Input<RequestedRange> = (asked) => {
  if (asked === '') return { kind: 'event' }
  if (asked === 'since-last-success') return { kind: 'since-last-success' }
  const [, repository, ends = asked] = WITH_REPOSITORY.exec(asked) ?? []
  const [base = '', head = '', ...others] = ends.split('...')
  if (others.length > 0 || !REF.test(base) || !REF.test(head)) return refuse(RULE)
  return { kind: 'between', repository, base, head }
}
