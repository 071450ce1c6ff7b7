import { KEY } from '../model/planted-key.ts'
import { httpAnswer } from '../support/socket-server.ts'
import { afterTaking, type ServiceFault } from './service-fault.ts'

type Fields = Readonly<Record<string, unknown>>

/** An answer that is good HTTP and says that all is well. */
const ok = (body: (job: string) => string, headers: Readonly<Record<string, string>> = {}) => {
  return (job: string) => ({ writes: httpAnswer(200, body(job), headers), then: 'close' as const })
}
const nonsense = (body: string | ((job: string) => string), headers?: Record<string, string>): ServiceFault =>
  afterTaking(ok(typeof body === 'string' ? () => body : body, headers), 'lost')
const heard = (body: (job: string) => string, headers?: Record<string, string>): ServiceFault =>
  afterTaking(ok(body, headers), 'heard')
const changed = (change: Fields) => (job: string) => JSON.stringify({ ...(JSON.parse(job) as Fields), ...change })

/** The id proves that the prompt was taken; a read has to say how the job stands. */
const onlyTheId = (change: Fields): ServiceFault => ({
  conduct: ok(changed(change)),
  takes: true,
  prompt: 'accepted',
  read: 'passing',
})

/** How an answer that says that all is well makes no sense. */
export const BODY_FAULTS = {
  'body-is-html': nonsense(`<!doctype html><title>Sign in</title>${KEY}`, { 'content-type': 'text/html' }),
  'body-is-empty': nonsense(''),
  'body-is-null': nonsense('null'),
  'body-is-a-list': nonsense((job) => `[${job}]`),
  'body-is-a-number': nonsense('7'),
  'body-is-a-text': nonsense((job) => JSON.stringify(job)),
  'body-is-an-empty-object': nonsense('{}'),
  'body-is-an-error': nonsense(JSON.stringify({ error: KEY })),
  'body-is-no-json': nonsense((job) => job.replaceAll('"', "'")),
  'body-is-cut': nonsense((job) => job.slice(0, -5)),
  'body-is-followed-by-more': nonsense((job) => job + job),
  'body-is-nested-without-need': nonsense('['.repeat(100_000)),
  'body-begins-with-a-mark': nonsense((job) => `\xef\xbb\xbf${job}`.replace('\xef\xbb\xbf', '\ufeff')),
  'body-claims-to-be-packed': heard((job) => job, { 'content-encoding': 'gzip' }),
  'body-claims-to-be-a-picture': heard((job) => job, { 'content-type': 'image/png' }),
  'body-has-blanks-around': heard((job) => `\r\n\t ${job} \r\n`),
  'body-has-more-fields': heard(changed({ other: { deep: [1, 2, 3] }, source: 7, model: null, createdAt: [] })),
  'id-is-missing': nonsense(changed({ id: undefined })),
  'id-is-null': nonsense(changed({ id: null })),
  'id-is-a-number': nonsense(changed({ id: 7 })),
  'id-is-empty': nonsense(changed({ id: '' })),
  'id-leads-elsewhere': nonsense(changed({ id: '../../v1/x' })),
  'id-holds-a-line-end': nonsense(changed({ id: 'job_1\n::x' })),
  'id-is-the-key': nonsense(changed({ id: KEY })),
  'id-is-too-long': nonsense(changed({ id: 'j'.repeat(129) })),
  'status-is-missing': onlyTheId({ status: undefined }),
  'status-is-null': onlyTheId({ status: null }),
  'status-is-a-number': onlyTheId({ status: 3 }),
  'status-is-empty': onlyTheId({ status: '' }),
  'status-is-in-no-list': heard(changed({ status: 'paused' })),
} satisfies Record<string, ServiceFault>
