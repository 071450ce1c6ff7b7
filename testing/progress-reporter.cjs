const SUITES_PER_LINE = 20

/** Prints a line for every twenty suites, because the whole run takes minutes and otherwise prints only its end. */
module.exports = class ProgressReporter {
  #ended = 0

  onTestResult(_test, _result, { numTotalTestSuites, numFailedTests, startTime }) {
    this.#ended++
    if (this.#ended % SUITES_PER_LINE !== 0) return
    const minutes = ((Date.now() - startTime) / 60_000).toFixed(1)
    console.log(`${this.#ended} of ${numTotalTestSuites} suites after ${minutes} min, ${numFailedTests} failed tests`)
  }
}
