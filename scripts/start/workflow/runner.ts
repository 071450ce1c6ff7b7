/** The context `runner` without what only a running machine knows. */
interface DescribedRunner {
  readonly os: 'Linux' | 'Windows' | 'macOS'
  readonly arch: 'X64' | 'ARM64'
  readonly environment: 'github-hosted' | 'self-hosted'
}

/** Labels of a group are those of its runners, which only GitHub knows. */
function listLabels(runsOn: unknown): readonly string[] {
  if (typeof runsOn === 'string') return [runsOn]
  if (Array.isArray(runsOn)) return runsOn.map(String)
  return typeof runsOn === 'object' && runsOn !== null && 'labels' in runsOn ? listLabels(runsOn.labels) : []
}

/** The runners for macOS 14 and later are ARM, unless their label says otherwise. */
const isArm = (labels: string, os: DescribedRunner['os']): boolean =>
  /\barm(?:64)?\b/.test(labels) ||
  (os === 'macOS' && /macos-(?:latest|1[4-9]|2\d)/.test(labels) && !/-(?:large|intel)\b|\bx64\b/.test(labels))

/** Describes the runner that GitHub's labels mean. A label that says nothing about it means Linux on X64. */
export function describeRunner(runsOn: unknown): DescribedRunner {
  const labels = listLabels(runsOn).join(' ').toLowerCase()
  const os = labels.includes('windows') ? 'Windows' : labels.includes('macos') ? 'macOS' : 'Linux'
  return {
    os,
    arch: isArm(labels, os) ? 'ARM64' : 'X64',
    environment: labels.includes('self-hosted') ? 'self-hosted' : 'github-hosted',
  }
}
