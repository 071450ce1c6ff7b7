import { execute } from '../action/run-action.ts'
import { writeTable } from '../fleet/table.ts'

await execute(writeTable)
