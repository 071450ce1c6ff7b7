import { agentAction } from '../agent/run.ts'
import { runAction } from '../action/run-action.ts'

await runAction(agentAction)
