import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Front } from './bundle-run.ts'

/** Takes the service's place with answers of the test's own. */
export function answering(listener: RequestListener): Front {
  return async () => {
    const server = createServer(listener)
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      close: () => {
        server.close()
        server.closeAllConnections()
      },
    }
  }
}
