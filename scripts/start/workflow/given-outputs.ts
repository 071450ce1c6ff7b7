import { createDemoOutputs } from './contexts.ts'
import type { DemoValues } from './expressions.ts'

type Texts = Readonly<Record<string, string>>

/** The outputs that `--output` names. */
export class GivenOutputs {
  readonly #given: Texts
  readonly #unused: Set<string>
  /** Flags that would choose a value that an `if` was false for. */
  readonly hints = new Set<string>()

  /** @param given the values by `id.name` */
  constructor(given: Texts) {
    this.#given = given
    this.#unused = new Set(Object.keys(given))
  }

  /** Those of a step or job. */
  getOf(id: string): Texts {
    const own = Object.entries(this.#given).filter(([name]) => name.startsWith(`${id}.`))
    for (const [name] of own) this.#unused.delete(name)
    return Object.fromEntries(own.map(([name, value]) => [name.slice(id.length + 1), value]))
  }

  /** All outputs of a step or job that is not run. */
  createDemo(id: string): DemoValues {
    return createDemoOutputs(id, this.getOf(id))
  }

  /** The names whose step or job was not reached. */
  listUnused(): readonly string[] {
    return [...this.#unused]
  }
}
