import { join } from 'node:path'
import { execute } from '../action/execute.ts'
import { rehearse } from '../rehearse/rehearsal.ts'

const program = join(import.meta.dirname, '../emulator/index.js')
await execute((runner) => rehearse(program, runner))
