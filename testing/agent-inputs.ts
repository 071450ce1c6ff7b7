import { inputNames } from '../src/action/inputs.ts'
import { AGENT_FIELDS, parseAgentInputs } from '../src/agent/inputs.ts'
import type { AgentInputs } from '../src/agent/facts.ts'

const GIVEN = {
  prompt: 'Fix the guide.',
  'project-id': 'docs-demo',
  'api-key': 'docs_key',
  'base-url': 'https://docs.example.com',
}

/** Parses inputs as a step does, with defaults for all that a test does not set. */
export function agentInputs(
  fields: Partial<AgentInputs> = {},
  given: Readonly<Record<string, string>> = {},
): AgentInputs {
  const raw = { ...Object.fromEntries(inputNames(AGENT_FIELDS).map((name) => [name, ''])), ...GIVEN, ...given }
  return { ...parseAgentInputs(raw, '.'), ...fields }
}
