const tasks = new Set<() => void>()

function runTasks(): void {
  for (const task of tasks) task()
}

/**
 * Has something done when this process ends, however it comes to `process.exit`. One listener serves all, because Node warns
 * of more than ten.
 * @param task must be synchronous
 * @returns call it when the task is no longer needed
 */
export function runAtExit(task: () => void): () => void {
  if (tasks.size === 0) process.on('exit', runTasks)
  tasks.add(task)
  return () => {
    tasks.delete(task)
    if (tasks.size === 0) process.off('exit', runTasks)
  }
}
