/** A `gh` that does nothing, for the steps of a rehearsal that would change the real GitHub. */
import * as fs from 'node:fs'
import * as path from 'node:path'

/**
 * Control characters are replaced and `##[` is split, because arguments can contain untrusted text, and the runner would
 * execute a command in it.
 */
const SHELL_SCRIPT = `#!/bin/sh
arguments=$(printf '%s' "$*" | LC_ALL=C tr '\\000-\\037\\177' ' ' | sed 's/##\\[/# #[/g')
printf 'Rehearsal: without it, this would run: gh %s\\n' "$arguments" >&2
`

/** Two arguments only: `cmd` would interpret special characters in the others, which can contain untrusted text. */
const BATCH_FILE = ['@echo off', 'echo Rehearsal: without it, this would run: gh %1 %2 ... 1>&2', 'exit /b 0', ''].join(
  '\r\n',
)

/** Writes `gh` for Bash on every system, and `gh.cmd` for the other shells of Windows. */
export function writeGh(folder: string): void {
  fs.writeFileSync(path.join(folder, 'gh'), SHELL_SCRIPT, { mode: 0o755 })
  fs.writeFileSync(path.join(folder, 'gh.cmd'), BATCH_FILE)
}
