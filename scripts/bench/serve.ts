import { createServer, type IncomingMessage } from 'node:http'
import { listenOnLoopback, type LoopbackServer } from '../small-runner/listen-on-loopback.ts'

export interface CannedResponse {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
}

/** Serves JSON on loopback. @param respond returns the response to every request */
export function serve(
  respond: (request: IncomingMessage) => CannedResponse | Promise<CannedResponse>,
): Promise<LoopbackServer> {
  const server = createServer((request, response) => {
    request.resume()
    void Promise.resolve(respond(request)).then(({ status = 200, headers = {}, body }) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
    })
  })
  return listenOnLoopback(server)
}
