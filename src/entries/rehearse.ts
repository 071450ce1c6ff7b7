import { join } from 'node:path'
import { endGroup, getState, saveState, startGroup } from '@actions/core'
import { rehearse } from '../rehearse/rehearsal.ts'
import { execute } from '../action/execute.ts'

const kit = { endGroup, getState, saveState, startGroup }
const program = join(import.meta.dirname, '../emulator/index.js')
await execute((ports) => rehearse({ ...ports, kit, env: process.env, program }))
