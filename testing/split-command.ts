/** Splits a command into words as a shell does, as far as the documents use quotes. */
export function splitCommand(command: string): string[] {
  return Array.from(command.matchAll(/(?:[^\s"]|"[^"]*")+/g), ([word]) => word.replaceAll('"', ''))
}
