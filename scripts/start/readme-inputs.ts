import { parse } from 'yaml'

type Texts = Readonly<Record<string, string>>

/** The lines below `with:` of the first step that uses the action. */
const FIRST_INPUTS = /^ *(?:- )?uses: \S+\/docs-agent-action@\S+(?: +#[^\n]*)?\n( +)with:\n((?:\1 +[^\n]*\n)+)/m

/** Reads the inputs of the first workflow in the README, except those that are variables and secrets. */
export function readExampleInputs(readme: string): Texts {
  const [, , lines = '{}'] = FIRST_INPUTS.exec(readme.replaceAll('\r\n', '\n')) ?? []
  const inputs = Object.entries(parse(lines) as Readonly<Record<string, unknown>>)
  const texts = inputs.map(([name, value]) => [name, String(value)] as const)
  return Object.fromEntries(texts.filter(([, value]) => !value.includes('${{')))
}
