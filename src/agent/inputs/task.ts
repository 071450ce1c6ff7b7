/** What is asked of the service. */
export type Task =
  | { readonly kind: 'create'; readonly prompt: string }
  | {
      readonly kind: 'follow-up'
      readonly prompt: string
      readonly jobId: string
      /** The prompt of a new job that takes its place if the rolling pull request has ended before it is sent. */
      readonly fallback?: string
    }
  | { readonly kind: 'attach'; readonly jobId: string }

export function toTask(prompt: string | undefined, jobId: string): Task {
  if (prompt === undefined) return { kind: 'attach', jobId }
  return jobId === '' ? { kind: 'create', prompt } : { kind: 'follow-up', prompt, jobId }
}

/** @param context stands behind the prompt; attaching sends nothing */
export function withContext(task: Task, context: string): Task {
  if (task.kind === 'attach') return task
  const sent = { ...task, prompt: task.prompt + context }
  return sent.kind === 'follow-up' && sent.fallback !== undefined
    ? { ...sent, fallback: sent.fallback + context }
    : sent
}
