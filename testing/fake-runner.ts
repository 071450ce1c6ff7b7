import type { Runner } from '../src/action/toolkit.ts'

export interface FakeRunner extends Runner {
  /** All calls in order, as `kind: text`. */
  readonly calls: string[]
  /** The texts of the calls of one kind. */
  readonly lines: (kind: 'log' | 'warn') => readonly string[]
}

/** Creates a runner that returns the given inputs and records all other calls. */
export function fakeRunner(inputs: Readonly<Record<string, string>> = {}): FakeRunner {
  const calls: string[] = []
  const state = new Map<string, string>()
  const record =
    (kind: string) =>
    (...texts: string[]): void => {
      calls.push(`${kind}: ${texts.join(' | ')}`)
    }
  return {
    calls,
    lines: (kind) => calls.flatMap((call) => (call.startsWith(`${kind}: `) ? call.slice(kind.length + 2) : [])),
    input: (name) => {
      calls.push(`input: ${name}`)
      return inputs[name] ?? ''
    },
    mask: record('mask'),
    redact: (text) => text,
    log: record('log'),
    logQuote: record('quote'),
    startGroup: record('group'),
    endGroup: record('endgroup'),
    debug: record('debug'),
    warn: record('warn'),
    notice: record('notice'),
    fail: record('fail'),
    setOutput: record('output'),
    writeSummary: record('summary'),
    savedState: (name) => state.get(name) ?? '',
    saveState: (name, value) => state.set(name, value),
    exportVariable: record('env'),
    addPath: record('path'),
  }
}

/** Calls back when the outputs are written once more: a milestone writes `outcome` after `status` of the one before. */
export function watchMilestones(onMilestone: () => void): (output: string) => void {
  let last = ''
  return (output) => {
    if (output === 'outcome' && last === 'status') onMilestone()
    last = output
  }
}
