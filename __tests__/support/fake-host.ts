import type { Core } from '../../src/action/toolkit.ts'

export interface FakeHost extends Core {
  /** All calls in order, as `kind: text`. */
  readonly said: string[]
}

/** Creates a host that returns the given inputs and records all other calls. */
export function fakeHost(inputs: Readonly<Record<string, string>> = {}): FakeHost {
  const said: string[] = []
  const state = new Map<string, string>()
  const say =
    (kind: string) =>
    (...texts: string[]): void => {
      said.push(`${kind}: ${texts.join(' | ')}`)
    }
  return {
    said,
    input: (name) => {
      said.push(`input: ${name}`)
      return inputs[name] ?? ''
    },
    mask: say('mask'),
    maskInLog: say('maskInLog'),
    redact: (text) => text,
    log: say('log'),
    logQuote: say('quote'),
    startGroup: say('group'),
    endGroup: say('endgroup'),
    debug: say('debug'),
    warn: say('warn'),
    notice: say('notice'),
    fail: say('fail'),
    setOutput: say('output'),
    writeSummary: say('summary'),
    savedState: (name) => state.get(name) ?? '',
    saveState: (name, value) => state.set(name, value),
  }
}
