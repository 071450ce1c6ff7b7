import { runAction } from '../action/run-action.ts'
import { agentAction } from '../agent/run.ts'

// Both need the same packages, and a runner downloads every bundle, so `dist/report` is a call of this one.
if (process.argv.includes('report')) {
  const { reportAction } = await import('../report/report-action.ts')
  await runAction(reportAction)
} else {
  await runAction(agentAction)
}
