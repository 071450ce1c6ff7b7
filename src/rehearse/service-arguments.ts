/** The inputs, in the order of emulator/action.yml. Each is a flag of the service's command line too. */
export const INPUT_NAMES = ['scenario', 'github-scenario', 'speed', 'port'] as const

export type RehearsalInput = (typeof INPUT_NAMES)[number]

/** An input left empty means its default, so that a workflow can pass on an input of its own that was not given. */
const DEFAULTS: Readonly<Record<RehearsalInput, string>> = {
  scenario: 'pull-request',
  'github-scenario': 'checks-pass',
  speed: '1',
  port: '0',
}

/**
 * The service's command line. Values are not judged here: the service knows its scenarios and ranges, and no bundle of an
 * action contains the service.
 * @param repository of the run, `owner/name`, so that its own commits can be asked about
 */
export function serviceArguments(raw: Readonly<Record<RehearsalInput, string>>, repository = ''): string[] {
  const flags = INPUT_NAMES.map((name) => `--${name}=${raw[name].trim() || DEFAULTS[name]}`)
  return repository === '' ? flags : [...flags, `--github-repository=${repository}`]
}

const FLAG = new RegExp(`--(${INPUT_NAMES.join('|')})(?![\\w-])`, 'g')

/** What the service says of its command line or its port, in the words of whoever wrote the workflow. */
export function toInputWords(complaint: string): string {
  return complaint
    .trim()
    .replace(/^error: /, '')
    .replace(/ See --help\.$/, '')
    .replace(FLAG, '`$1`')
}
