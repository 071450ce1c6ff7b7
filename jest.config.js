import { availableParallelism } from 'node:os'

/** @type {import('jest').Config} */
export default {
  testEnvironment: './__tests__/support/worker-environment.cjs',
  // Many tests wait for a process or a socket, so one worker a core leaves cores idle.
  maxWorkers: Math.ceil(availableParallelism() * 1.5),
  // Node.js frees nothing of a suite that has ended. A worker of two gigabytes takes longer to exit than jest waits for it.
  workerIdleMemoryLimit: '300MB',
  // The tests that run `npm start` mostly wait for its clock.
  maxConcurrency: 10,
  // A busy machine, or the pauses of GitHub's client, take longer than the usual five seconds.
  testTimeout: 120_000,
  // `src` contains no tests, but `--findRelatedTests src/...` needs its files.
  roots: ['<rootDir>/__tests__', '<rootDir>/src'],
  testMatch: ['**/*.test.ts'],
  // The whole suite prints its failures and a summary; named files also print each test.
  reporters: process.argv.length > 2 ? ['default'] : [['summary', { summaryThreshold: 0 }]],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '/@actions/workflow-parser/.*-schema\\.js$': '<rootDir>/__tests__/support/json-import.cjs',
    '\\.ts$': ['@swc/jest', { jsc: { target: 'es2023', parser: { syntax: 'typescript' } } }],
  },
  transformIgnorePatterns: ['/node_modules/(?!@actions/workflow-parser/.*-schema\\.js$)'],
}
