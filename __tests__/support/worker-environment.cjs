const { TestEnvironment } = require('jest-environment-node')

/** What the suites of a worker share, by name. Everything else is loaded again for each suite. */
const sharedBySuites = new Map()

module.exports = class WorkerEnvironment extends TestEnvironment {
  constructor(...args) {
    super(...args)
    this.global.sharedBySuites = sharedBySuites
  }
}
