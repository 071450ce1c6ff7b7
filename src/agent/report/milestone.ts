import { OutputsLost } from '../../action/core.ts'
import { conclude } from './conclusion.ts'
import type { AgentStep } from './journal.ts'
import { renderResult } from './outputs.ts'
import { redactReport } from './redact-report.ts'
import { getEnd } from './turn.ts'

const NOT_ENDED = {
  isGreen: false,
  title: 'The step has not ended',
  text: 'This is what was known before the end of the step. A step that is killed leaves it behind.',
}

/** Writes the output `result` before the step's end, since a killed step writes nothing more. Every write makes the output file longer. */
export function writeMilestone({ core, journal }: AgentStep): void {
  const known = journal.report()
  const isUnended = getEnd(journal.turns[0]) === undefined
  const report = redactReport({ ...known, ...(isUnended && { outcome: 'submitted' }) }, core.redact)
  try {
    core.setOutput('result', renderResult(report, { ...NOT_ENDED, advice: conclude(report).advice }, core.redact))
  } catch (error) {
    if (!(error instanceof OutputsLost)) throw error
    core.log(error.message)
  }
}
