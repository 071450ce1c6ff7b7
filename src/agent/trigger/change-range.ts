import type { Context } from '../../action/context.ts'

/** What of a run decides on the range of its change. */
export type Trigger = Pick<Context, 'event' | 'sha' | 'refName'>

/** The branch that was pushed to, and the login of whoever did. */
export interface Pushed {
  readonly branch: string
  readonly by: string
}

export type ChangeRange =
  /** What `head` has since its merge base with `base`. */
  | {
      readonly kind: 'compare'
      /** `owner/name`; left out for the repository of the run. */
      readonly repository?: string | undefined
      readonly base: string
      readonly head: string
      /** Whose change it is, in our own words, such as `the push`. */
      readonly about: string
      /** By whom and to which branch, if the event says so. */
      readonly pushed?: Pushed | undefined
      /** Whether `head` took the place of `base`: what only `base` had was taken out then, and counts as changed too. */
      readonly isReplacement?: true
      /** What takes its place if `base` is gone. */
      readonly fallback?: ChangeRange
    }
  | {
      readonly kind: 'since-last-success'
      readonly head: string
      /** Where there was none. */
      readonly firstTime?: ChangeRange
      /** The run of another workflow before which to look; left out for this one's own. */
      readonly of?: { readonly workflow: string; readonly runId: number } | undefined
    }
  /** What a tag has more than the tag before it. */
  | { readonly kind: 'since-tag'; readonly tag: string }
  /** The event names a pull request, and not its base and head. */
  | { readonly kind: 'pull-request'; readonly number: number }
  | { readonly kind: 'nothing-changed'; readonly reason: string }
  | { readonly kind: 'nothing-to-compare'; readonly reason: string }
