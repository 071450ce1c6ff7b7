import { join } from 'node:path'
import { start } from './start.ts'

/** As in package.json: the first version with `import.meta.dirname`. */
const OLDEST_NODE = [20, 11] as const
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

// A reader that stops early, such as `head`, closes the pipe.
process.stdout.on('error', () => process.exit())
if (major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])) {
  console.error(`npm start needs Node.js ${OLDEST_NODE.join('.')} or newer. This is ${process.version}.`)
  process.exitCode = 2
} else {
  // From dist/start/, where this is packaged to.
  process.exitCode = await start(join(import.meta.dirname, '../..'), process)
}
