type Texts = Readonly<Record<string, string>>

/** Lines of the form `name: value`, below the first use of the action. */
const FIRST_INPUTS = /^ *(?:- )?uses: \S+\/docs-agent-action@\S+(?: +#[^\n]*)?\n( +)with:\n((?:\1 +[^\n]*\n)+)/m

/** Reads the inputs of the first workflow in the README, except those that are variables and secrets. */
export function readExampleInputs(readme: string): Texts {
  const lines = FIRST_INPUTS.exec(readme.replaceAll('\r\n', '\n'))?.[2]?.split('\n') ?? []
  const inputs = lines.flatMap((line) => {
    const [, name, value = ''] = /^ *([\w-]+): (.*?)(?: +#.*)?$/.exec(line) ?? []
    return name === undefined || value.includes('${{') ? [] : [[name, value.replace(/^'(.*)'$/, '$1')] as const]
  })
  return Object.fromEntries(inputs)
}
