import { join } from 'node:path'
import { execute } from '../action/run-action.ts'
import { rehearse } from '../rehearse/rehearsal.ts'

const program = join(import.meta.dirname, '../emulator/index.js')
await execute((host) => rehearse(program, host))
