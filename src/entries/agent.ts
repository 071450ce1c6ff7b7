import { agentAction } from '../agent/agent-action.ts'
import { runAction } from '../action/run-action.ts'

await runAction(agentAction)
