import { agentAction } from '../agent/agent-action.ts'
import { runFeature } from '../runner/run-feature.ts'

await runFeature(agentAction)
