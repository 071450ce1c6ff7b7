import { join } from 'node:path'
import { start } from './start.ts'

/** The minimum version in package.json, the first with `import.meta.dirname`. */
const MIN_NODE = [20, 11] as const
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

// A reader that stops early, such as `head`, closes the pipe.
process.stdout.on('error', () => process.exit())
if (major < MIN_NODE[0] || (major === MIN_NODE[0] && minor < MIN_NODE[1])) {
  console.error(`npm start needs Node.js ${MIN_NODE.join('.')} or newer. This is ${process.version}.`)
  process.exitCode = 2
} else {
  // This file is packaged to dist/start/.
  process.exitCode = await start(join(import.meta.dirname, '../..'), process)
}
