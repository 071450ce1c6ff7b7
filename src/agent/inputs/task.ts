/** What is asked of the service. */
export type Task =
  | { readonly kind: 'create'; readonly prompt: string }
  | { readonly kind: 'follow-up'; readonly prompt: string; readonly jobId: string }
  | { readonly kind: 'attach'; readonly jobId: string }

/** Without a prompt and a job there is a command, for which what is given here is the beginning of what a comment asks for. */
export function toTask(prompt: string | undefined, jobId: string | undefined): Task {
  if (jobId === undefined) return { kind: 'create', prompt: prompt ?? '' }
  return prompt === undefined ? { kind: 'attach', jobId } : { kind: 'follow-up', prompt, jobId }
}

/** @param context stands behind the prompt; attaching sends nothing */
export function withContext(task: Task, context: string): Task {
  return task.kind === 'attach' ? task : { ...task, prompt: task.prompt + context }
}
