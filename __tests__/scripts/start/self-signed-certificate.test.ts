import { once } from 'node:events'
import { connect, createServer } from 'node:tls'
import { expect, test } from '@jest/globals'
import { listenOnLoopback } from '../../../scripts/small-runner/listen-on-loopback.ts'
import { createCertificate } from '../../../scripts/start/self-signed-certificate.ts'

test('creates a certificate for 127.0.0.1 that only clients which have it as a CA trust', async () => {
  const certificate = createCertificate()
  const { port, close } = await listenOnLoopback(createServer(certificate, (socket) => socket.end()))
  const tryToConnect = async (ca: string): Promise<string> => {
    const socket = connect({ host: '127.0.0.1', port, ca })
    try {
      await once(socket, 'secureConnect')
      return 'trusted'
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? ''
    } finally {
      socket.destroy()
    }
  }
  expect(await tryToConnect(certificate.cert)).toBe('trusted')
  expect(await tryToConnect(createCertificate().cert)).not.toBe('trusted')
  await close()
})
