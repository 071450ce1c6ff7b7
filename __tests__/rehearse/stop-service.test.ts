import { expect, test } from '@jest/globals'
import { startEmulator } from '../../src/emulator/server.ts'
import { stopService } from '../../src/rehearse/stop-service.ts'
import { fakeClock } from '../support/fake-clock.ts'

type Kill = readonly [pid: number, signal: string]

test('a service that answers is asked to end, and is waited for', async () => {
  const service = await startEmulator({ instance: '7' })
  const kills: Kill[] = []
  const closing: Promise<void>[] = []
  const ending = await stopService(
    { pid: 7, baseUrl: service.url },
    {
      clock: fakeClock(),
      kill: (...kill) => {
        kills.push(kill)
        closing.push(service.close())
      },
    },
  )
  await Promise.all(closing)
  expect(ending).toBe('stopped')
  expect(kills).toEqual([[7, 'SIGTERM']])
})

test('a service that does not end is killed after 5 seconds', async () => {
  const service = await startEmulator({ instance: '7' })
  const kills: Kill[] = []
  const clock = fakeClock()
  const kill = (...args: Kill): unknown => kills.push(args)
  expect(await stopService({ pid: 7, baseUrl: service.url }, { clock, kill })).toBe('stopped')
  await service.close()
  expect(kills).toEqual([
    [7, 'SIGTERM'],
    [7, 'SIGKILL'],
  ])
  expect(clock.passed()).toBe(5_000)
})

test('where nothing answers, nothing is killed: the process id may belong to another program', async () => {
  const service = await startEmulator({ instance: '7' })
  await service.close()
  const kills: Kill[] = []
  const kill = (...args: Kill): unknown => kills.push(args)
  expect(await stopService({ pid: 7, baseUrl: service.url }, { clock: fakeClock(), kill })).toBe('was-gone')
  expect(kills).toEqual([])
})

test('a service that ends by itself at that moment is no error', async () => {
  const service = await startEmulator({ instance: '7' })
  const closing: Promise<void>[] = []
  const kill = (): never => {
    closing.push(service.close())
    throw new Error('ESRCH')
  }
  expect(await stopService({ pid: 7, baseUrl: service.url }, { clock: fakeClock(), kill })).toBe('stopped')
  await Promise.all(closing)
})

test.each([undefined, '8'])(
  'another program at the address is left alone, and so is the process id: %s',
  async (instance) => {
    const stranger = await startEmulator(instance === undefined ? {} : { instance })
    const kills: Kill[] = []
    const kill = (...args: Kill): unknown => kills.push(args)
    expect(await stopService({ pid: 7, baseUrl: stranger.url }, { clock: fakeClock(), kill })).toBe('was-gone')
    await stranger.close()
    expect(kills).toEqual([])
  },
)
