import ts from 'typescript'

/** `test` of `test(…)`, `test.each(…)(…)`, `test.skipIf(…)(…)` and the like. */
function isTest(callee: ts.Expression): boolean {
  if (ts.isIdentifier(callee)) return callee.text === 'test'
  if (ts.isPropertyAccessExpression(callee) || ts.isCallExpression(callee)) return isTest(callee.expression)
  return false
}

/** The names of all tests in a source file, those of tables with their placeholders. */
export function testNames(text: string): string[] {
  const names: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isTest(node.expression)) {
      const [name] = node.arguments
      if (name !== undefined && ts.isStringLiteralLike(name)) names.push(name.text)
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('scanned.ts', text, ts.ScriptTarget.Latest, true))
  return names
}
