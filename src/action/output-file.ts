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

/** A file that is there as a whole or not at all. All methods throw `OutputFileError` and nothing else. */
export interface OutputFile {
  /** Appends a text, as UTF-8. */
  readonly write: (text: string) => void
  /** Puts the file in its place, where it replaces the one that was there before. */
  readonly commit: () => void
  /** Leaves nothing behind; does nothing after a commit. Never throws, so that it can stand in a `finally`. */
  readonly discard: () => void
}

/** Of an error of the system its code (`ENOSPC`) is told, and none of its text, which holds paths. */
function orThrow<Given extends unknown[]>(act: (...given: Given) => void): (...given: Given) => void {
  return (...given) => {
    try {
      act(...given)
    } catch (error) {
      if (error instanceof OutputFileError) throw error
      const { code } = error as { code?: unknown }
      throw new OutputFileError(
        `The file could not be written${typeof code === 'string' ? ` (${code})` : ''}.`,
        'Check the free space of the runner, and who may write to the folder of the file.',
      )
    }
  }
}

/** 512 MiB: a hundred times what a large site needs, and less than the free space of any runner. */
const MOST_BYTES = 512 * 1024 * 1024

/** The folders that are missing on the way to `folder` and `folder` itself, the deepest first. */
function missingFolders(folder: string): string[] {
  return fs.existsSync(folder) ? [] : [folder, ...missingFolders(path.dirname(folder))]
}

/**
 * Opens a file for writing. Until it is committed, all is in a temporary file beside it, so that the rename stays within
 * one file system. Folders that are missing are made, and removed again where the file is discarded. It writes
 * synchronously: then it can be discarded while the process ends, too.
 * @param mostBytes what is larger is refused, since what is written comes from a stranger
 */
export function openOutputFile({ file }: OutputPlace, mostBytes = MOST_BYTES): OutputFile {
  const folder = path.dirname(file)
  const temporary = path.join(folder, `.${crypto.randomUUID()}.part`)
  const made = missingFolders(folder)
  let descriptor: number | undefined
  let bytes = 0
  let isDone = false

  function open(): void {
    fs.mkdirSync(folder, { recursive: true })
    descriptor = fs.openSync(temporary, 'wx')
  }

  function write(text: string): void {
    if (descriptor === undefined) throw new Error('The file is closed.')
    bytes += Buffer.byteLength(text)
    if (bytes > mostBytes)
      throw new OutputFileError(
        `The file would be larger than ${mostBytes} bytes.`,
        'Export less in one step, such as fewer days.',
      )
    fs.writeFileSync(descriptor, text)
  }

  function close(): void {
    if (descriptor !== undefined) fs.closeSync(descriptor)
    descriptor = undefined
  }

  function commit(): void {
    // Some file systems notice that the disk is full only now.
    if (descriptor !== undefined) fs.fsyncSync(descriptor)
    close()
    fs.renameSync(temporary, file)
    isDone = true
  }

  function discard(): void {
    if (isDone) return
    isDone = true
    const removals = made.map((folder) => fs.rmdirSync.bind(fs, folder))
    for (const tidy of [close, fs.unlinkSync.bind(fs, temporary), ...removals]) {
      try {
        tidy()
      } catch {
        // What cannot be tidied up must not hide why it had to be.
      }
    }
  }

  try {
    orThrow(open)()
  } catch (error) {
    discard()
    throw error
  }
  return { write: orThrow(write), commit: orThrow(commit), discard }
}
