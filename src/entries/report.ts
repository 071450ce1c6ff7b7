import { runAction } from '../action/run-action.ts'
import { reportAction } from '../report/report-action.ts'

await runAction(reportAction)
