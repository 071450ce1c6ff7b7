import { join } from 'node:path'
import { start } from './start.ts'

const OLDEST_NODE = 20

// Whoever reads only the beginning, as `head` does, has seen enough.
process.stdout.on('error', () => process.exit())
if (parseInt(process.versions.node) < OLDEST_NODE) {
  console.error(`npm start needs Node.js ${OLDEST_NODE} or newer. This is ${process.version}.`)
  process.exitCode = 2
} else {
  // From dist/start/, where this is packaged to.
  process.exitCode = await start(join(import.meta.dirname, '../..'), process)
}
