/**
 * Rehearses a release with the real gh against a local server that plays GitHub: each kind of request fails once before it is
 * processed, and once its response is lost. The release is then run again, as a maintainer would, and must end as if nothing
 * had failed. The nightly report is rehearsed too. Needs Bash, jq and gh, and Linux, because Go reads SSL_CERT_FILE only
 * there.
 *
 *   npm run release:rehearse                takes minutes
 *   npm run release:rehearse -- --quick     without failures
 */
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer as createTlsServer } from 'node:tls'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { root } from '../../__tests__/support/markdown-files.ts'
import { openScratchFolder } from '../small-runner/scratch-folder.ts'
import { createCertificate } from '../../src/emulator/http/self-signed-certificate.ts'
import { handOn } from '../start/untrusted-tls.ts'
import { listGuards } from './guards.ts'
import { createReleaseServer, emptyRepository, type Failure, type RepositoryState } from './release-server.ts'
import { setFleetVersion } from './versions.ts'

const TAG = `v${(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version}`
const [MAJOR = ''] = TAG.split('.')
const HEAD = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()
const ASSET = 'SHA256SUMS'
const MAX_RUNS = 3
const isQuick = process.argv.includes('--quick')

const { path: folder, remove } = openScratchFolder('release-')
const certificate = createCertificate()
const certificateFile = join(folder, 'cert.pem')
writeFileSync(certificateFile, certificate.cert)

let state = emptyRepository({})
let failure: Failure | undefined
/** The requests of a release, without digests and ids. */
let requests: string[] = []

/** The digests of what a release attests. */
const DIGESTS = globSync('dist/**/*.js', { cwd: root }).map((file) =>
  createHash('sha256')
    .update(readFileSync(join(root, file)))
    .digest('hex'),
)

/** The invariant after each change: only what is attested is published, and the major tag points to a complete release. */
function findProblem({ tags, releases, attested }: RepositoryState): string | undefined {
  const isAttested = DIGESTS.every((digest) => attested.has(digest))
  const published = releases.filter(({ tag_name, draft }) => tag_name === TAG && !draft)
  const isComplete = isAttested && published.some(({ assets }) => assets.some(({ name }) => name === ASSET))
  if (published.length > 0 && !isAttested) return `${TAG} was published before dist/ was attested.`
  if (tags.get(MAJOR) === HEAD && !isComplete)
    return `${MAJOR} was moved before ${TAG} was published with its asset and attested.`
  return releases.length > 1 ? `There are ${releases.length} releases of ${TAG}.` : undefined
}

const problems: string[] = []
const plain = createReleaseServer(
  () => state,
  (request) => {
    requests.push(request.replace(/[0-9a-f]{40,}|\d+(?=\/|$)/g, '*'))
    return failure?.request === requests.length - 1 ? failure : undefined
  },
  () => {
    const problem = findProblem(state)
    if (problem !== undefined) problems.push(problem)
  },
)
plain.listen(0, '127.0.0.1')
await once(plain, 'listening')
const plainUrl = `http://127.0.0.1:${(plain.address() as AddressInfo).port}`
const secure = createTlsServer(certificate, (socket) => {
  handOn(socket, plainUrl)
})
secure.listen(0, '127.0.0.1')
await once(secure, 'listening')

const env = {
  PATH: process.env['PATH'] ?? '',
  HOME: folder,
  TMPDIR: folder,
  GH_HOST: `127.0.0.1:${(secure.address() as AddressInfo).port}`,
  GH_ENTERPRISE_TOKEN: 'ghs_rehearsal',
  GH_REPO: 'acme/action',
  GITHUB_REF_NAME: TAG,
  SSL_CERT_FILE: certificateFile,
  RUN_URL: 'https://ghes.example.com/acme/action/actions/runs/1',
}

async function run(
  program: string,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
  project = root,
) {
  const child = spawn(join(project, '.ci', program), args, { cwd: project, env: { ...env, ...more } })
  const [output, errors, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number]>,
  ])
  return { isGreen: exitCode === 0, output: output.trim(), errors }
}

/** Plays the job that attests: it does nothing if everything is attested. */
async function attest(): Promise<boolean> {
  const { isGreen, output } = await run('release', ['is-attested'])
  if (!isGreen) return false
  if (output === 'true') return true
  for (const digest of DIGESTS) state.attested.add(digest)
  return true
}

/** Plays the jobs of release.yml up to the first failure. */
async function release(): Promise<boolean> {
  if (!(await attest())) return false
  for (const step of ['publish', 'move-major']) if (!(await run('release', [step])).isGreen) return false
  return true
}

const describeState = (): string =>
  JSON.stringify({ tags: [...state.tags], releases: state.releases, attested: state.attested.size })

/** Plays a release in which one request fails, and runs it again until it is green. @returns all its requests */
async function playRelease(
  planned: Failure | undefined,
  tags: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  state = emptyRepository({ [TAG]: HEAD, ...tags })
  ;[failure, requests] = [planned, []]
  let runs = 1
  while (!(await release()) && runs < MAX_RUNS) runs++
  const isDone =
    state.tags.get(MAJOR) === HEAD &&
    state.releases.length === 1 &&
    state.releases[0]?.draft === false &&
    state.releases[0].assets.length === 1
  if (!isDone) problems.push(`With ${JSON.stringify(planned)} the release did not end: ${describeState()}`)
  return requests
}

/** Plays steps that a guard must stop, each with a state in which the guard alone stops it. */
async function playGuards(): Promise<number> {
  const guards = listGuards(TAG, HEAD, DIGESTS)
  failure = undefined
  for (const { what, step, isGreen, logText, state: given } of guards) {
    state = given
    const before = describeState()
    const played = await run('release', [step])
    if (played.isGreen !== isGreen || !played.output.includes(logText) || describeState() !== before)
      problems.push(`${step} ${what}: ${played.output}`)
  }
  return guards.length
}

/** Plays the check of the versions, including with a tag and a fleet.yml that do not belong to package.json. */
async function playCheck(): Promise<void> {
  const copy = join(folder, 'checked')
  const FLEET = '.github/workflows/fleet.yml'
  for (const file of ['.ci/release', 'package.json', FLEET]) cpSync(join(root, file), join(copy, file))
  const check = (tag: string) => run('release', ['check'], { GITHUB_REF_NAME: tag }, copy)
  const expectRed = (what: string, { isGreen, output }: Awaited<ReturnType<typeof check>>, text: string): void => {
    if (isGreen || !output.includes(text)) problems.push(`The check accepts ${what}: ${output}`)
  }
  const right = await check(TAG)
  if (!right.isGreen) problems.push(`The check refuses ${TAG}: ${right.output}`)
  expectRed('a tag of another version', await check(`${MAJOR}.98.0`), 'package.json says')
  const fleet = readFileSync(join(copy, FLEET), 'utf8')
  writeFileSync(join(copy, FLEET), setFleetVersion(fleet, '0.98.0'))
  expectRed('a fleet.yml that uses another version', await check(TAG), 'fleet.yml uses')
  writeFileSync(join(copy, FLEET), fleet.replaceAll('/docs-agent-action@', '/other@'))
  expectRed('a fleet.yml that does not use the action', await check(TAG), 'fleet.yml uses')
}

/** Plays the nightly report after a series of runs. */
async function playNightly(): Promise<void> {
  state = emptyRepository({})
  failure = undefined
  const results = ['success', 'failure', 'cancelled', 'success', 'success', 'cancelled', 'success']
  const open: number[] = []
  for (const result of results) {
    const NEEDS = JSON.stringify({ soak: { result }, pictures: { result: 'success' } })
    const { isGreen, errors } = await run('report-nightly', [], { NEEDS })
    if (!isGreen) problems.push(`The report of a nightly run failed: ${errors}`)
    open.push(state.issues.filter((issue) => issue.state === 'open').length)
  }
  const comments = state.issues.map((issue) => issue.comments.length)
  const seen = JSON.stringify({ open, comments })
  const expected = JSON.stringify({ open: [0, 1, 1, 0, 0, 1, 0], comments: [2, 1] })
  if (seen !== expected) problems.push(`The issues of nightly runs are ${seen}, and not ${expected}.`)
}

try {
  const older = { [MAJOR]: 'a'.repeat(40) }
  const whole = await playRelease(undefined, older)
  const kinds = isQuick ? [] : whole.flatMap((request, index) => (whole.indexOf(request) === index ? [index] : []))
  for (const request of kinds)
    for (const isProcessed of [false, true]) await playRelease({ request, isProcessed }, older)
  await playRelease(undefined, {})
  // A complete release is not changed.
  const before = describeState()
  await release()
  if (describeState() !== before) problems.push('Running a finished release again changed something.')
  const guards = await playGuards()
  await playCheck()
  await playNightly()
  const played = `${2 * kinds.length + 2} releases of ${whole.length} requests, ${guards} guards of the steps`
  console.log(`Played ${played}, the check of the versions, and 7 nightly reports.`)
} finally {
  plain.close()
  secure.close()
  remove()
}
for (const problem of new Set(problems)) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1
