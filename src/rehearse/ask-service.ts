import * as http from 'node:http'

const LONGEST_ANSWER_MS = 2_000

/** Whether a service answers at an address of this machine, whatever it says. A proxy is never asked. */
export function askService(baseUrl: string): Promise<'answers' | 'silent'> {
  return new Promise((resolve) => {
    const request = http.get(`${baseUrl}/`, { agent: new http.Agent(), timeout: LONGEST_ANSWER_MS }, (response) => {
      response.resume()
      resolve('answers')
    })
    request.on('timeout', () => {
      request.destroy()
    })
    request.on('error', () => {
      resolve('silent')
    })
    request.on('close', () => {
      resolve('silent')
    })
  })
}
