/**
 * The inputs, in the order of emulator/action.yml, with what each means where it is left empty, so that a workflow can pass on
 * an input of its own that was not given. Each is a flag of the service's command line too.
 */
export const INPUT_DEFAULTS = {
  scenario: 'pull-request',
  'github-scenario': 'checks-pass',
  speed: '1',
  port: '0',
} as const

/**
 * The service's command line. Values are not judged here: the service knows its scenarios and ranges, and no bundle of an
 * action contains the service.
 * @param repository of the run, `owner/name`, so that its own commits can be asked about
 */
export function serviceArguments(input: (name: string) => string, repository = ''): string[] {
  const flags = Object.entries(INPUT_DEFAULTS).map(([name, usual]) => `--${name}=${input(name).trim() || usual}`)
  return repository === '' ? flags : [...flags, `--github-repository=${repository}`]
}

const FLAG = new RegExp(`--(${Object.keys(INPUT_DEFAULTS).join('|')})(?![\\w-])`, 'g')

/** What the service says of its command line or its port, in the words of whoever wrote the workflow. */
export function toInputWords(complaint: string): string {
  return complaint
    .trim()
    .replace(/^error: /, '')
    .replace(/ See --help\.$/, '')
    .replace(FLAG, '`$1`')
}
