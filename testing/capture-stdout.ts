/**
 * Runs `work` and returns the complete lines that it writes to standard output, from which a runner reads commands.
 * Nothing is written to the real stream.
 */
export async function captureStdout(work: () => unknown): Promise<string[]> {
  const { stdout } = process
  const written: string[] = []
  const write = Object.getOwnPropertyDescriptor(stdout, 'write')
  const fake = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    written.push(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString())
    const done = rest.at(-1)
    if (typeof done === 'function') queueMicrotask(done as () => void)
    return true
  }
  Object.defineProperty(stdout, 'write', { value: fake, configurable: true, writable: true })
  try {
    await work()
  } finally {
    if (write === undefined) Reflect.deleteProperty(stdout, 'write')
    else Object.defineProperty(stdout, 'write', write)
  }
  return written.join('').split(/\r?\n/).slice(0, -1)
}
