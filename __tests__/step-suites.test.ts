import { globSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { agentAction } from '../src/agent/run.ts'
import { ActionError } from '../src/runtime/errors.ts'
import { root } from '../testing/markdown-files.ts'
import { listStepImports, PLAYED, STEP_SUITES } from '../testing/step-suites.ts'

const read = (path: string): string => readFileSync(root + path, 'utf8')
const list = (pattern: string): string[] => globSync(pattern, { cwd: root }).map((path) => path.replaceAll('\\', '/'))

test('a suite that plays steps runs the bundle and not the sources', () => {
  let thrown: unknown
  try {
    agentAction.parse({}, '.', new Date())
  } catch (error) {
    thrown = error
  }
  expect(thrown).toBeInstanceOf(ActionError)
  const frames = String((thrown as ActionError).stack).match(/[\w./\\:-]+\.(?:ts|js)(?=:\d)/g)
  expect(frames?.[0]).toMatch(/[\\/]\.tmp[\\/]step-bundle[\\/]bundle[\\/]index\.js$/)
  expect(frames?.filter((file) => /[\\/]src[\\/].*\.ts$/.test(file))).toEqual([])
})

test('all properties, scenarios and players of steps run the bundle', () => {
  const players = /\/(?:play-step|play-feature|play-report|visitors-run)\.ts'/
  const expected = [...list('__tests__/model/*.test.ts'), ...list('__tests__/**/*scenarios.test.ts')]
    .concat(
      list('__tests__/**/*.test.ts').filter((path) => players.test(read(path).replaceAll(/^import type .*$/gm, ''))),
    )
    .filter((path) => !path.startsWith('__tests__/emulator/'))
  expect(expected.length).toBeGreaterThan(30)
  expect(expected.filter((path) => !STEP_SUITES.includes(path))).toEqual([])
})

test('what plays a step still has its name', () => {
  const imported = new Set([...listStepImports().values()].flatMap((names) => [...names]))
  expect([...PLAYED].filter((name) => !imported.has(name))).toEqual([])
})

test('tests import from src by name, so that the bundle can replace it', () => {
  const isHidden = /^(?:import \*.*|import \w+ from .*|export .* from .*|.*\bimport\()['"][^'"\n]*\bsrc\//m
  expect(list('{__tests__,testing}/**/*.ts').filter((path) => isHidden.test(read(path)))).toEqual([])
})
