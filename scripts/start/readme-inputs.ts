import { parse } from 'yaml'

type Texts = Readonly<Record<string, string>>

/** The lines below `with:` of the first step that uses the action, in the first example that is a workflow. */
const FIRST_INPUTS =
  /^jobs:\n[^]*?^ *(?:- )?uses: \S+\/docs-agent-action@\S+(?: +#[^\n]*)?\n( +)with:\n((?:\1 +[^\n]*\n)+)/m

/** An input of `workflow_dispatch` with a default, which it has on all other events. */
const WITH_DEFAULT = /^\$\{\{ inputs\.[\w-]+ \|\| '([^']*)' \}\}$/

/** Reads the inputs of the first workflow in the README, except those that are variables and secrets. */
export function readExampleInputs(readme: string): Texts {
  const [, , lines = '{}'] = FIRST_INPUTS.exec(readme.replaceAll('\r\n', '\n')) ?? []
  const inputs = Object.entries(parse(lines) as Readonly<Record<string, unknown>>)
  const texts = inputs.map(([name, value]) => [name, String(value).replace(WITH_DEFAULT, '$1')] as const)
  return Object.fromEntries(texts.filter(([, value]) => !value.includes('${{')))
}
