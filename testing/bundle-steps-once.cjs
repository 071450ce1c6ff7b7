const { execFileSync } = require('node:child_process')
const { join } = require('node:path')

/** In a process of its own, because the bundler needs much memory, which jest's process would keep. */
module.exports = () => {
  execFileSync(process.execPath, [join(__dirname, 'bundle-steps.ts')], { stdio: 'inherit' })
}
