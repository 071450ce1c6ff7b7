import ts from 'typescript'

/** What the rules of the house look at in a source file. */
export interface SourceScan {
  /** Every module it names: in imports and re-exports, of types too, and in `import()`. */
  readonly imports: readonly string[]
  /** `import()` of something that is not a plain string, so that no one can say what is imported. */
  readonly computedImports: readonly string[]
  /** Where it reads time or starts a timer, such as `Date.now`. */
  readonly timeUses: readonly string[]
  readonly hasDefaultExport: boolean
}

const TIMERS = new Set(['setTimeout', 'setInterval', 'setImmediate'])
const TIME_MEMBERS = new Set(['Date.now', 'performance.now', 'process.hrtime', 'process.uptime', 'AbortSignal.timeout'])
const TIMER_MODULES = /^(node:)?timers(\/|$)/

function importedModule(node: ts.Node): ts.Expression | ts.TypeNode | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier
  if (ts.isImportTypeNode(node)) return node.argument
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) return node.arguments[0]
  return undefined
}

function moduleName(node: ts.Expression | ts.TypeNode): string | undefined {
  const literal = ts.isLiteralTypeNode(node) ? node.literal : node
  return ts.isStringLiteralLike(literal) ? literal.text : undefined
}

function timeUse(node: ts.Node): string | undefined {
  if (ts.isIdentifier(node) && TIMERS.has(node.text)) return node.text
  if (ts.isNewExpression(node) && node.getText() === 'new Date()') return 'new Date()'
  if (ts.isPropertyAccessExpression(node) && TIME_MEMBERS.has(node.getText())) return node.getText()
  return undefined
}

function isDefaultExport(node: ts.Node): boolean {
  if (ts.isExportAssignment(node)) return true
  if (ts.isExportSpecifier(node)) return node.name.text === 'default'
  return ts.canHaveModifiers(node) && !!ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword)
}

export function scanSource(text: string): SourceScan {
  const imports: string[] = []
  const computedImports: string[] = []
  const timeUses: string[] = []
  let hasDefaultExport = false

  const visit = (node: ts.Node): void => {
    const module = importedModule(node)
    if (module !== undefined) {
      const name = moduleName(module)
      if (name === undefined) computedImports.push(module.getText())
      else imports.push(name)
    }
    const use = timeUse(node)
    if (use !== undefined) timeUses.push(use)
    hasDefaultExport ||= isDefaultExport(node)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('scanned.ts', text, ts.ScriptTarget.Latest, true))

  return {
    imports,
    computedImports,
    timeUses: [...timeUses, ...imports.filter((name) => TIMER_MODULES.test(name))],
    hasDefaultExport,
  }
}
