// V8 parses a function twice, first to find its end and again when it is called, unless the function is in parentheses. Every
// module of a bundle is a function that is called at the start, and minifying removes webpack's parentheses.
import ts from 'typescript'

/** Finds the functions in webpack's table of modules, an object at the top level of the file. */
function findModules(file: ts.SourceFile): ts.Expression[] {
  return file.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => declarationList.declarations.map(({ initializer }) => initializer))
    .filter((value) => value !== undefined && ts.isObjectLiteralExpression(value))
    .flatMap(({ properties }) => properties.filter(ts.isPropertyAssignment).map(({ initializer }) => initializer))
    .filter((value) => ts.isArrowFunction(value) || ts.isFunctionExpression(value))
}

/** Puts every module of a minified bundle in parentheses. */
export function compileAtOnce(code: string): string {
  const modules = findModules(ts.createSourceFile('index.js', code, ts.ScriptTarget.Latest, false, ts.ScriptKind.JS))
  return modules.reduceRight(
    (text, { pos, end }) => `${text.slice(0, pos)}(${text.slice(pos, end)})${text.slice(end)}`,
    code,
  )
}
