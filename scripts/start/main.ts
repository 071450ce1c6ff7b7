import { join } from 'node:path'
import { start } from './start.ts'

// From dist/start/, where this is packaged to.
process.exitCode = await start(join(import.meta.dirname, '../..'), process)
