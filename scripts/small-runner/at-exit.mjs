/** @type {Set<() => void>} */
const tasks = new Set()

/**
 * Has something done when this process ends, however it comes to `process.exit`. One listener serves all, because Node warns
 * of more than ten.
 *
 * @param {() => void} task must be synchronous
 * @returns {() => void} call it when the task is no longer needed
 */
export function runAtExit(task) {
  if (tasks.size === 0) process.on('exit', runTasks)
  tasks.add(task)
  return () => {
    tasks.delete(task)
    if (tasks.size === 0) process.off('exit', runTasks)
  }
}

function runTasks() {
  for (const task of tasks) task()
}
