const tasks = new Set<() => void>()

function runTasks(): void {
  for (const task of tasks) task()
}

/**
 * Runs a task when this process exits. All tasks share one listener, because Node.js warns about more than ten.
 * @param task must be synchronous
 * @returns a function that cancels the task
 */
export function runAtExit(task: () => void): () => void {
  if (tasks.size === 0) process.on('exit', runTasks)
  tasks.add(task)
  return () => {
    tasks.delete(task)
    if (tasks.size === 0) process.off('exit', runTasks)
  }
}
