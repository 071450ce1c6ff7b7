/** What is asked of the service. */
export type Task =
  | { readonly kind: 'create'; readonly prompt: string }
  | { readonly kind: 'follow-up'; readonly prompt: string; readonly jobId: string }
  | { readonly kind: 'attach'; readonly jobId: string }

export function toTask(prompt: string | undefined, jobId: string): Task {
  if (prompt === undefined) return { kind: 'attach', jobId }
  return jobId === '' ? { kind: 'create', prompt } : { kind: 'follow-up', prompt, jobId }
}

/** @param context stands behind the prompt; attaching sends nothing */
export function withContext(task: Task, context: string): Task {
  return task.kind === 'attach' ? task : { ...task, prompt: task.prompt + context }
}
