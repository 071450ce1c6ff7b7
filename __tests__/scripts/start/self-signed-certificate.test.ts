import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:tls'
import { expect, test } from '@jest/globals'
import { createCertificate } from '../../../scripts/start/self-signed-certificate.ts'

test('creates a certificate for 127.0.0.1 that only clients which have it as a CA trust', async () => {
  const certificate = createCertificate()
  const server = createServer(certificate, (socket) => socket.end())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
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
  server.close()
})
