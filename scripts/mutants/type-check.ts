import * as path from 'node:path'
import ts from 'typescript'

/** Whether the files compile with another text of one file. */
export type TypeCheck = (changed: string, text: string) => boolean

/** @param files relative to the root */
export function createTypeCheck(root: string, files: readonly string[]): TypeCheck {
  const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), (file) => ts.sys.readFile(file)) as {
    readonly config: unknown
  }
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
  const toAbsolute = (file: string): string => path.join(root, file).replaceAll('\\', '/')
  const names = files.map(toAbsolute)
  let version = 0
  let mutant = { name: '', text: '' }
  const service = ts.createLanguageService({
    ...ts.sys,
    useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
    getCompilationSettings: () => options,
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    getScriptFileNames: () => names,
    getScriptVersion: (name) => (name === mutant.name ? String(version) : '0'),
    getScriptSnapshot(name) {
      const text = name === mutant.name ? mutant.text : ts.sys.readFile(name)
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
    },
  })
  return (changed, text) => {
    version++
    mutant = { name: toAbsolute(changed), text }
    // The changed file first, because it has most errors.
    return [mutant.name, ...names].every(
      (name) => [...service.getSyntacticDiagnostics(name), ...service.getSemanticDiagnostics(name)].length === 0,
    )
  }
}
