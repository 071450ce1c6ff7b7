const vm = require('node:vm')
const { TestEnvironment } = require('jest-environment-node')

/** What the suites of a worker share, by name. Everything else is loaded again for each suite. */
const sharedBySuites = new Map()

const { createContext } = vm
/** Creates a context whose globals, such as `Math`, are not looked up through an object of Jest, which is much slower. */
const createPlainContext = () => createContext(vm.constants.DONT_CONTEXTIFY)

module.exports = class WorkerEnvironment extends TestEnvironment {
  constructor(...args) {
    vm.createContext = createPlainContext
    try {
      super(...args)
    } finally {
      vm.createContext = createContext
    }
    this.global.sharedBySuites = sharedBySuites
  }
}
