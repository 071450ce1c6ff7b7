import { execute } from '../action/run-action.ts'
import { checkFleet } from '../fleet/check.ts'

await execute(checkFleet)
