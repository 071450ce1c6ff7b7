/** `worker-environment.cjs` sets this. Without jest, nothing is shared. */
interface WorkerGlobal {
  readonly sharedBySuites?: Map<string, unknown>
}

/** Returns what the first suite of this worker has passed here under this name. It must not change. */
export function shareInWorker<T>(name: string, own: T): T {
  const { sharedBySuites } = globalThis as WorkerGlobal
  const shared = sharedBySuites?.get(name) ?? own
  sharedBySuites?.set(name, shared)
  return shared as T
}
