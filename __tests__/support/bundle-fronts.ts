import { createServer, request, type RequestListener } from 'node:http'
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

/** Offers the service below a path, as a gateway does. All that is asked for elsewhere is not found. */
export function underPrefix(prefix: string): Front {
  return async (serviceUrl) => {
    const gateway = await answering((incoming, outgoing) => {
      const { url = '', method, headers } = incoming
      if (!url.startsWith(`${prefix}/`)) {
        outgoing.writeHead(404).end()
        return
      }
      const onward = request(serviceUrl + url.slice(prefix.length), { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      })
      incoming.pipe(onward)
    })(serviceUrl)
    return { ...gateway, url: gateway.url + prefix }
  }
}
