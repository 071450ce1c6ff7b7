import { readdirSync, readFileSync } from 'node:fs'
import { root } from './markdown-files.ts'

export interface WorkflowFile {
  /** Relative to the project's folder, with `/`. */
  readonly path: string
  readonly text: string
}

/** The recipes, and the workflows of this repository. */
export function workflowFiles(): WorkflowFile[] {
  return ['docs/recipes', '.github/workflows'].flatMap((folder) =>
    readdirSync(`${root}${folder}`)
      .filter((name) => name.endsWith('.yml'))
      .map((name) => ({ path: `${folder}/${name}`, text: readFileSync(`${root}${folder}/${name}`, 'utf8') })),
  )
}
