import * as fs from 'node:fs'
import * as path from 'node:path'
import type { OutputPlace } from './workspace-file.ts'

/** A file could not be written. */
export class OutputFileError extends Error {
  override readonly name = 'OutputFileError'
  readonly hint: string

  constructor(message: string, hint: string) {
    super(message)
    this.hint = hint
  }
}

/** Of an error of the system its code (`ENOSPC`) is told, and none of its text, which holds paths. */
function orThrow(act: () => void): void {
  try {
    act()
  } catch (error) {
    const { code } = error as { code?: unknown }
    throw new OutputFileError(
      `The file could not be written${typeof code === 'string' ? ` (${code})` : ''}.`,
      'Check the free space of the runner, and who may write to the folder of the file.',
    )
  }
}

/** 512 MiB: a hundred times what a large site needs, and less than the free space of any runner. */
const MOST_BYTES = 512 * 1024 * 1024

/** The folders that are missing on the way to `folder` and `folder` itself, the deepest first. */
function missingFolders(folder: string): string[] {
  return fs.existsSync(folder) ? [] : [folder, ...missingFolders(path.dirname(folder))]
}

/** In place of a descriptor: whatever is asked of it fails. */
const CLOSED = -1

/**
 * A file that is there as a whole or not at all: until it is committed, all is in a temporary file beside it, so that the
 * rename stays within one file system. It writes synchronously: then it can be discarded while the process ends, too. All
 * that it throws is `OutputFileError`.
 */
export class OutputFile {
  readonly #file: string
  readonly #temporary: string
  readonly #mostBytes: number
  #madeFolders: readonly string[] = []
  #bytes = 0
  #descriptor = CLOSED

  /** @param mostBytes what is larger is refused, since what is written comes from a stranger */
  constructor({ file }: OutputPlace, mostBytes = MOST_BYTES) {
    this.#file = file
    this.#temporary = path.join(path.dirname(file), `.${crypto.randomUUID()}.part`)
    this.#mostBytes = mostBytes
  }

  /** Makes the folders that are missing, too. */
  open(): void {
    const folder = path.dirname(this.#file)
    this.#madeFolders = missingFolders(folder)
    orThrow(() => {
      fs.mkdirSync(folder, { recursive: true })
      this.#descriptor = fs.openSync(this.#temporary, 'wx')
    })
  }

  /** Appends a text, as UTF-8. */
  write(text: string): void {
    this.#bytes += Buffer.byteLength(text)
    if (this.#bytes > this.#mostBytes)
      throw new OutputFileError(
        `The file would be larger than ${this.#mostBytes} bytes.`,
        'Export less in one step, such as fewer days.',
      )
    orThrow(() => {
      fs.writeFileSync(this.#descriptor, text)
    })
  }

  /** Puts the file in its place, where it replaces the one that was there before. */
  commit(): void {
    orThrow(() => {
      // Some file systems notice that the disk is full only now.
      fs.fsyncSync(this.#descriptor)
      this.#close()
      fs.renameSync(this.#temporary, this.#file)
    })
  }

  /** Leaves nothing behind, where it was not committed. Never throws, so that it can stand in a `finally`. */
  readonly discard = (): void => {
    const removals = this.#madeFolders.map((folder) => fs.rmdirSync.bind(fs, folder))
    for (const tidy of [this.#close.bind(this), fs.unlinkSync.bind(fs, this.#temporary), ...removals]) {
      try {
        tidy()
      } catch {
        // What cannot be tidied up must not hide why it had to be. After a commit the folder is not empty, and stays.
      }
    }
  }

  #close(): void {
    const descriptor = this.#descriptor
    // The file that is opened next may get the same number.
    this.#descriptor = CLOSED
    fs.closeSync(descriptor)
  }
}
