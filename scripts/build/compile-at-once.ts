// V8 reads a function twice, once to find its end and once more when it is called, unless it stands in parentheses. Every
// module of a bundle is a function that is called as the step starts, and terser takes webpack's parentheses away.
import ts from 'typescript'

/** The functions in webpack's table of modules, an object at the top of the file. */
function modulesOf(file: ts.SourceFile): ts.Expression[] {
  return file.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => declarationList.declarations.map(({ initializer }) => initializer))
    .filter((value) => value !== undefined && ts.isObjectLiteralExpression(value))
    .flatMap(({ properties }) => properties.filter(ts.isPropertyAssignment).map(({ initializer }) => initializer))
    .filter((value) => ts.isArrowFunction(value) || ts.isFunctionExpression(value))
}

/** A bundle, already small, with every module in parentheses. */
export function compileAtOnce(code: string): string {
  const modules = modulesOf(ts.createSourceFile('index.js', code, ts.ScriptTarget.Latest, false, ts.ScriptKind.JS))
  return modules.reduceRight(
    (text, { pos, end }) => `${text.slice(0, pos)}(${text.slice(pos, end)})${text.slice(end)}`,
    code,
  )
}
