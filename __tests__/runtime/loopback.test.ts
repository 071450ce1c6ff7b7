import { expect, test } from '@jest/globals'
import { isLoopback } from '../../src/runtime/loopback.ts'

test.each([
  'http://localhost',
  'http://LOCALHOST:8080/x',
  'http://127.0.0.1:1',
  'http://127.255.0.7',
  'http://127.1',
  'http://0x7f000001',
  'http://[::1]:8080',
  'http://[0:0:0:0:0:0:0:1]',
])('%s stays on this machine', (address) => {
  expect(isLoopback(new URL(address))).toBe(true)
})

test.each([
  'http://docs.example.com',
  'http://localhost.example.com',
  'http://notlocalhost',
  'http://127.0.0.1.example.com',
  'http://128.0.0.1',
  'http://10.127.0.0',
  'http://0.0.0.0',
  'http://[::2]',
  'http://localhost@docs.example.com',
])('%s may leave this machine', (address) => {
  expect(isLoopback(new URL(address))).toBe(false)
})
