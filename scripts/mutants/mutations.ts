import ts from 'typescript'

/** A small defect: `text` replaces the source from `start` to `end`. */
export interface Mutation {
  readonly kind: string
  readonly start: number
  readonly end: number
  readonly text: string
}

type Defects = Generator<readonly [kind: string, replaced: ts.Node, text: string]>

/** Operators and their replacements, by kind. */
const OPERATORS = Object.entries({
  comparison: { '<': '<=', '<=': '<', '>': '>=', '>=': '>', '===': '!==', '!==': '===' },
  logic: { '&&': '||', '||': '&&' },
  arithmetic: { '+': '-', '-': '+', '*': '/', '/': '*', '%': '*', '+=': '-=', '-=': '+=' },
})

const METHODS = new Map(
  Object.entries({
    some: 'every',
    every: 'some',
    find: 'findLast',
    findLast: 'find',
    push: 'unshift',
    startsWith: 'includes',
    endsWith: 'includes',
    includes: 'startsWith',
    replaceAll: 'replace',
    min: 'max',
    max: 'min',
    floor: 'ceil',
    ceil: 'floor',
    indexOf: 'lastIndexOf',
  }),
)

/** The result has the type of the receiver, so that the call can be left out. */
const FILTERS = ['trim', 'toLowerCase', 'toUpperCase', 'filter', 'slice', 'toReversed', 'toSorted', 'sort', 'replace']

function getCondition(node: ts.Node): ts.Expression | undefined {
  if (ts.isIfStatement(node) || ts.isWhileStatement(node)) return node.expression
  return ts.isConditionalExpression(node) || ts.isForStatement(node) ? node.condition : undefined
}

function* breakOperators(node: ts.Node): Defects {
  const condition = getCondition(node)
  if (condition !== undefined) yield ['condition', condition, `!(${condition.getText()})`]
  if (!ts.isBinaryExpression(node)) return
  const { operatorToken: sign, left, right } = node
  for (const [kind, others] of OPERATORS)
    for (const [from, to] of Object.entries(others)) if (from === sign.getText()) yield [kind, sign, to]
  if (sign.getText() === '??') yield ['default', node, right.getText()]
  if (['+', '-'].includes(sign.getText())) yield ['arithmetic', node, left.getText()]
}

function* breakLiterals(node: ts.Node): Defects {
  if (node.kind === ts.SyntaxKind.TrueKeyword) yield ['literal', node, 'false']
  if (node.kind === ts.SyntaxKind.FalseKeyword) yield ['literal', node, 'true']
  if (ts.isNumericLiteral(node)) yield ['literal', node, `(${node.getText()} + 1)`]
  // A text with spaces is a message, which only one test asserts.
  if (ts.isStringLiteral(node) && /^\S+$/.test(node.text)) yield ['literal', node, "''"]
  if (ts.isArrayLiteralExpression(node)) for (const element of node.elements) yield ['element', element, '...[]']
}

function* breakStatements(node: ts.Node): Defects {
  if (ts.isExpressionStatement(node) || ts.isThrowStatement(node)) yield ['statement', node, '{}']
  if (ts.isReturnStatement(node) && node.expression === undefined) yield ['statement', node, '{}']
}

function* breakRegularExpressions(node: ts.Node): Defects {
  if (!ts.isRegularExpressionLiteral(node)) return
  const [, source = '', flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(node.text) ?? []
  const quantifiers = [...source.matchAll(/(?<![\\(])[+*]/g)].map(({ 0: sign, index }) =>
    [source.slice(0, index), sign === '+' ? '*' : '+', source.slice(index + 1)].join(''),
  )
  const anchors = [source.replace(/^\^/, ''), source.replace(/(?<!\\)\$$/, '')].filter((other) => other !== source)
  for (const other of [...anchors, ...quantifiers]) yield ['regular expression', node, `/${other}/${flags}`]
  for (const flag of flags) yield ['regular expression', node, `/${source}/${flags.replace(flag, '')}`]
}

function* breakCalls(node: ts.Node): Defects {
  if (ts.isPropertyAccessExpression(node) && node.questionDotToken) yield ['chaining', node.questionDotToken, '!.']
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return
  const { name, expression } = node.expression
  const other = METHODS.get(name.text)
  if (other !== undefined) yield ['method', name, other]
  if (FILTERS.includes(name.text)) yield ['method', node, expression.getText()]
}

/** A mutation of a type or an import would not compile. */
const isSkipped = (node: ts.Node): boolean =>
  ts.isTypeNode(node) ||
  ts.isInterfaceDeclaration(node) ||
  ts.isTypeAliasDeclaration(node) ||
  ts.isImportDeclaration(node)

const BREAKERS = [breakOperators, breakLiterals, breakStatements, breakRegularExpressions, breakCalls]

export function listMutations(source: string): Mutation[] {
  const mutationsIn = (node: ts.Node): Mutation[] => {
    if (isSkipped(node)) return []
    const here = BREAKERS.flatMap((breakNode) => [...breakNode(node)]).map(([kind, replaced, text]) => {
      return { kind, text, start: replaced.getStart(), end: replaced.end }
    })
    return [...here, ...node.getChildren().flatMap(mutationsIn)]
  }
  return mutationsIn(ts.createSourceFile('file.ts', source, ts.ScriptTarget.Latest, true))
}
