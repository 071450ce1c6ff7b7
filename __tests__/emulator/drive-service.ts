import type { VisitorsPage } from '../../src/docs-service/interface.ts'
import type { JobBody } from '../../src/emulator/service/job-body.ts'
import {
  DEFAULT_START_MS,
  type Service,
  type ServiceOptions,
  createService,
} from '../../src/emulator/embedded-service.ts'
import { EMULATOR_KEY } from '../../src/emulator/http/access.ts'
import type { ServiceRequest, ServiceResponse } from '../../src/emulator/http/exchange.ts'

export const BASE_URL = 'http://127.0.0.1:4010'

interface ErrorBody {
  readonly error: string
  readonly details: readonly { readonly message: string }[]
}

export interface ServiceDriver {
  readonly service: Service
  /** Sends a request with the default key at the current time. */
  readonly send: (request: Partial<ServiceRequest>) => ServiceResponse
  readonly get: (target: string) => ServiceResponse
  readonly post: (target: string, prompt: string) => ServiceResponse
  readonly advance: (seconds: number) => void
}

/** Parses the body of a job, of a page of visitors, or of an error. */
export function toBody({ body }: ServiceResponse): Partial<JobBody & VisitorsPage & ErrorBody> {
  return JSON.parse(body) as Partial<JobBody & VisitorsPage & ErrorBody>
}

/** Creates a service without sockets. Its clock moves only with `advance`. */
export function driveService(options: Partial<ServiceOptions> = {}): ServiceDriver {
  const service = createService({ baseUrl: BASE_URL, ...options })
  let nowMs = options.startMs ?? DEFAULT_START_MS

  function send(request: Partial<ServiceRequest>): ServiceResponse {
    const defaults = { authorization: `Bearer ${EMULATOR_KEY}`, 'content-type': 'application/json' }
    const headers = { ...defaults, ...request.headers }
    return service.handle({ method: 'GET', target: '/', body: '', ...request, headers }, nowMs)
  }

  return {
    service,
    send,
    get: (target) => send({ target }),
    post: (target, prompt) => send({ method: 'POST', target, body: JSON.stringify({ prompt }) }),
    advance(seconds) {
      nowMs += seconds * 1000
    },
  }
}
