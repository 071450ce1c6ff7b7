import type { Host } from './host.ts'

/** Inputs by name, as text; empty where nothing was given. */
export type StepInputs<Name extends string> = Readonly<Record<Name, string>>

/**
 * Reads the inputs of a step that talks to the service. The key is masked before anything else is looked at, and the
 * address gets its default from the environment.
 */
export function readInputs<Name extends string>(
  names: readonly (Name | 'api-key' | 'base-url')[],
  host: Host,
  env: Readonly<Record<string, string | undefined>>,
): StepInputs<Name | 'api-key' | 'base-url'> {
  const apiKey = host.input('api-key')
  host.mask(apiKey)
  host.mask(apiKey.trim())
  const inputs = Object.fromEntries(names.map((name) => [name, host.input(name)])) as StepInputs<
    Name | 'api-key' | 'base-url'
  >
  if (inputs['base-url'].trim() !== '') return inputs
  return { ...inputs, 'base-url': env['DOCS_AGENT_BASE_URL'] ?? '' }
}
