import { expect, test } from '@jest/globals'
import { OUTCOME_ROWS } from '../../../src/agent/report/outcomes.ts'
import { toOutputs } from '../../../src/agent/report/outputs.ts'
import { OUTCOMES, type Outcome } from '../../../src/agent/report/report.ts'
import { ATTACH, CREATE, FOLLOW_UP } from '../../support/agent-run.ts'
import { completed, withoutLink } from '../../support/fake-client.ts'
import { reportOf, type Fields } from '../../support/report.ts'

test.each(OUTCOMES.filter((outcome) => outcome !== 'error'))(
  '%s has a title and says in full sentences what happened',
  (outcome) => {
    const [title, text] = [
      OUTCOME_ROWS[outcome].title(reportOf({ outcome })),
      OUTCOME_ROWS[outcome].text(reportOf({ outcome })),
    ]
    expect(title).toMatch(/^[A-Z]/)
    expect(text).toMatch(/^[A-Z].*\.$/)
  },
)

/** If nobody compared the pull request's head before and after: for a job with a pull request, and for one without. */
const CHANGED: Readonly<
  Record<Outcome, Readonly<Record<'create' | 'followUp' | 'attach', readonly [string, string]>>>
> = {
  'pull-request': { create: ['true', 'true'], followUp: ['', ''], attach: ['true', 'true'] },
  'no-changes': { create: ['', 'false'], followUp: ['', 'false'], attach: ['', 'false'] },
  failed: { create: ['true', 'false'], followUp: ['', ''], attach: ['true', 'false'] },
  archived: { create: ['true', 'false'], followUp: ['', ''], attach: ['true', 'false'] },
  'timed-out': { create: ['', ''], followUp: ['', ''], attach: ['', ''] },
  unconfirmed: { create: ['', ''], followUp: ['', ''], attach: ['', ''] },
  submitted: { create: ['', ''], followUp: ['', ''], attach: ['', ''] },
  cancelled: { create: ['', ''], followUp: ['', ''], attach: ['true', ''] },
  skipped: { create: ['false', 'false'], followUp: ['false', 'false'], attach: ['false', 'false'] },
  error: { create: ['', ''], followUp: ['', ''], attach: ['', ''] },
}

test.each(OUTCOMES)(
  '%s tells whether the work of this step is in a pull request, and nothing that nobody knows',
  (outcome) => {
    const changed = (fields: Fields): string[] =>
      [completed, withoutLink].map((job) => toOutputs(reportOf({ outcome, job, ...fields })).changed)
    expect({
      create: changed({ task: CREATE }),
      followUp: changed({ task: FOLLOW_UP, progress: 'seen' }),
      attach: changed({ task: ATTACH }),
    }).toEqual(CHANGED[outcome])
  },
)
