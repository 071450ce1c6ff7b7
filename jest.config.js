import { availableParallelism } from 'node:os'
import { STEP_SUITES } from './testing/step-suites.ts'

const STEP_BUNDLE = '<rootDir>/.tmp/step-bundle'

/** @type {import('jest').Config} */
const project = {
  testEnvironment: './testing/worker-environment.cjs',
  // `src` contains no tests, but `SOURCES=1 npm test -- --findRelatedTests src/...` needs its files.
  roots: ['<rootDir>/__tests__', '<rootDir>/src'],
  testMatch: ['**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '/@actions/workflow-parser/.*-schema\\.js$': '<rootDir>/testing/json-import.cjs',
    '\\.ts$': ['@swc/jest', { jsc: { target: 'es2023', parser: { syntax: 'typescript' } } }],
  },
  transformIgnorePatterns: ['/node_modules/(?!@actions/workflow-parser/.*-schema\\.js$)'],
}

/** Suites that play steps run what users run: a bundle of the code. `SOURCES=1` runs the sources instead, for stack traces. */
const stepProject = {
  ...project,
  displayName: 'bundle',
  testMatch: STEP_SUITES.map((path) => `<rootDir>/${path}`),
  ...(process.env['SOURCES'] === undefined && {
    globalSetup: './testing/bundle-steps-once.cjs',
    moduleNameMapper: {
      '^(?:\\.\\./)+(src/.+)\\.ts$': `${STEP_BUNDLE}/$1.js`,
      '^@actions/github$': `${STEP_BUNDLE}/toolkit.js`,
    },
  }),
}

/** @type {import('jest').Config} */
export default {
  // Many tests wait for a process or a socket, so one worker a core leaves cores idle.
  maxWorkers: Math.ceil(availableParallelism() * 1.5),
  // Node.js frees nothing of a suite that has ended. A worker of two gigabytes takes longer to exit than jest waits for it.
  workerIdleMemoryLimit: '300MB',
  // The tests that run `npm start` mostly wait for its clock.
  maxConcurrency: 10,
  // A busy machine, or the pauses of GitHub's client, take longer than the usual five seconds.
  testTimeout: 120_000,
  // The whole suite prints its progress, its failures and a summary; named files also print each test.
  reporters:
    process.argv.length > 2
      ? ['default']
      : ['<rootDir>/testing/progress-reporter.cjs', ['summary', { summaryThreshold: 0 }]],
  projects: [
    { ...project, testPathIgnorePatterns: STEP_SUITES.map((path) => `^<rootDir>/${path.replaceAll('.', '\\.')}$`) },
    stepProject,
  ],
}
