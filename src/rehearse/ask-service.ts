import * as http from 'node:http'

const LONGEST_ANSWER_MS = 2_000

/**
 * Who answers at an address of this machine: the process id that the embedded service tells with each answer, `stranger`
 * where the answer has none, and `nobody` where there is no answer. A proxy is never asked.
 */
export function askService(baseUrl: string): Promise<number | 'stranger' | 'nobody'> {
  return new Promise((resolve) => {
    const request = http.get(`${baseUrl}/`, { agent: new http.Agent(), timeout: LONGEST_ANSWER_MS }, (response) => {
      response.resume()
      const instance = response.headers['service-instance']
      resolve(typeof instance === 'string' && /^\d+$/.test(instance) ? Number(instance) : 'stranger')
    })
    request.on('timeout', () => {
      request.destroy()
    })
    request.on('error', () => {
      resolve('nobody')
    })
    request.on('close', () => {
      resolve('nobody')
    })
  })
}
