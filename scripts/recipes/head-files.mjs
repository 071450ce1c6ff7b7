/** @typedef {import('../../src/emulator/github/repository-state.ts').FileChange} FileChange */

/**
 * @param {string} filename
 * @param {string} text
 * @returns {FileChange}
 */
export function added(filename, text) {
  const lines = text.trimEnd().split('\n')
  return {
    ...{ filename, status: 'added', additions: lines.length, deletions: 0 },
    patch: [`@@ -0,0 +1,${lines.length} @@`, ...lines.map((line) => `+${line}`)].join('\n'),
  }
}

/**
 * @param {readonly string[]} before
 * @param {string} patch
 */
function applyPatch(before, patch) {
  const after = []
  let at = 0
  for (const line of patch.split('\n')) {
    const start = /^@@ -(\d+)/.exec(line)?.[1]
    if (start !== undefined) {
      after.push(...before.slice(at, Math.max(Number(start) - 1, 0)))
      at = Math.max(Number(start) - 1, 0)
      continue
    }
    if (!line.startsWith('+') && before[at++] !== line.slice(1)) throw new Error(`This patch does not fit: ${patch}`)
    if (!line.startsWith('-')) after.push(line.slice(1))
  }
  return [...after, ...before.slice(at)]
}

/**
 * The files of a commit, as far as its history has patches of them.
 *
 * @param {readonly import('../../src/emulator/github/repository-state.ts').Commit[]} history newest commit first
 * @returns {Record<string, string>} by path
 * @throws Error if a patch does not fit
 */
export function filesOf(history) {
  /** @type {Record<string, string[]>} */
  const files = {}
  for (const { filename, patch } of history.toReversed().flatMap((commit) => commit.files)) {
    if (patch !== undefined) files[filename] = applyPatch(files[filename] ?? [], patch)
  }
  return Object.fromEntries(Object.entries(files).map(([path, lines]) => [path, `${lines.join('\n')}\n`]))
}
