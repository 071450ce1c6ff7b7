import { join } from 'node:path'
import { getState, saveState } from '@actions/core'
import { rehearse } from '../rehearse/rehearsal.ts'
import { execute } from '../action/execute.ts'

const kit = { getState, saveState }
const program = join(import.meta.dirname, '../emulator/index.js')
await execute((ports) => rehearse({ ...ports, kit, env: process.env, program }))
