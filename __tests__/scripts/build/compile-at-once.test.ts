import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { compileAtOnce } from '../../../scripts/build/compile-at-once.ts'

const dist = new URL('../../../dist/', import.meta.url)

test('the functions in a table at the top of a file are put into parentheses, and nothing else', () => {
  expect(compileAtOnce('var a,e={1:(A,e)=>{A.f=()=>1},2:function(A){}},b={x:1};(()=>{e[1]()})();')).toBe(
    'var a,e={1:((A,e)=>{A.f=()=>1}),2:(function(A){})},b={x:1};(()=>{e[1]()})();',
  )
  expect(compileAtOnce('export const id=7,modules={8:(A)=>{}};')).toBe('export const id=7,modules={8:((A)=>{})};')
  expect(compileAtOnce('const f=()=>1;f();')).toBe('const f=()=>1;f();')
})

test('no module of a bundle is read twice before it runs', () => {
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'))
  const lazy = /[{,]\d+:(?:\([^()]*\)=>|\w+=>|function\b)/
  expect(files.filter((name) => lazy.test(readFileSync(new URL(name.replaceAll('\\', '/'), dist), 'utf8')))).toEqual([])
  expect(readFileSync(new URL('agent/index.js', dist), 'utf8')).toMatch(/[{,]\d+:\(\(/)
})

test('the agent holds nothing of zod that it does not use', () => {
  const agent = readFileSync(new URL('agent/index.js', dist), 'utf8')
  expect(agent).toContain('$ZodObject')
  expect(agent).not.toContain('$ZodTemplateLiteral')
})
