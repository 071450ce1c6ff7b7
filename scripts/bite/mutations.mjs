import ts from 'typescript'

/**
 * A small defect: what stands from `start` to `end` becomes `text`.
 * @typedef {{ kind: string, start: number, end: number, text: string }} Mutation
 */

/** @typedef {Generator<[kind: string, replaced: ts.Node, text: string]>} Defects */

/** By kind, the sign that takes another's place. */
const OPERATORS = Object.entries({
  comparison: { '<': '<=', '<=': '<', '>': '>=', '>=': '>', '===': '!==', '!==': '===' },
  logic: { '&&': '||', '||': '&&' },
  arithmetic: { '+': '-', '-': '+', '*': '/', '/': '*', '%': '*', '+=': '-=', '-=': '+=' },
})

const METHODS = new Map(
  [
    ...[
      ['some', 'every'],
      ['every', 'some'],
      ['find', 'findLast'],
      ['findLast', 'find'],
      ['push', 'unshift'],
    ],
    ...[
      ['startsWith', 'includes'],
      ['endsWith', 'includes'],
      ['includes', 'startsWith'],
      ['replaceAll', 'replace'],
    ],
    ...[
      ['min', 'max'],
      ['max', 'min'],
      ['floor', 'ceil'],
      ['ceil', 'floor'],
      ['indexOf', 'lastIndexOf'],
    ],
  ].map(([from = '', to = '']) => [from, to]),
)

/** What these give has the type of what they are called on, so a call can be left out. */
const FILTERS = ['trim', 'toLowerCase', 'toUpperCase', 'filter', 'slice', 'toReversed', 'toSorted', 'sort', 'replace']

/** @param {ts.Node} node @returns {Defects} */
function* breakConditions(node) {
  const condition =
    ts.isIfStatement(node) || ts.isWhileStatement(node)
      ? node.expression
      : ts.isConditionalExpression(node) || ts.isForStatement(node)
        ? node.condition
        : undefined
  if (condition !== undefined) yield ['condition', condition, `!(${condition.getText()})`]
}

/** @param {ts.Node} node @returns {Defects} */
function* breakOperators(node) {
  if (!ts.isBinaryExpression(node)) return
  const { operatorToken: sign, left, right } = node
  for (const [kind, others] of OPERATORS)
    for (const [from, to] of Object.entries(others)) if (from === sign.getText()) yield [kind, sign, to]
  if (sign.getText() === '??') yield ['default', node, right.getText()]
  if (['+', '-'].includes(sign.getText())) yield ['arithmetic', node, left.getText()]
}

/** @param {ts.Node} node @returns {Defects} */
function* breakLiterals(node) {
  if (node.kind === ts.SyntaxKind.TrueKeyword) yield ['literal', node, 'false']
  if (node.kind === ts.SyntaxKind.FalseKeyword) yield ['literal', node, 'true']
  if (ts.isNumericLiteral(node)) yield ['literal', node, `(${node.getText()} + 1)`]
  // What has blanks is words for people, which are asserted in one place.
  if (ts.isStringLiteral(node) && /^\S+$/.test(node.text)) yield ['literal', node, "''"]
  if (ts.isArrayLiteralExpression(node)) for (const element of node.elements) yield ['element', element, '...[]']
}

/** @param {ts.Node} node @returns {Defects} */
function* breakStatements(node) {
  if (ts.isExpressionStatement(node) || ts.isThrowStatement(node)) yield ['statement', node, '{}']
  if (ts.isReturnStatement(node) && node.expression === undefined) yield ['statement', node, '{}']
}

/** @param {ts.Node} node @returns {Defects} */
function* breakRegularExpressions(node) {
  if (!ts.isRegularExpressionLiteral(node)) return
  const [, source = '', flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(node.text) ?? []
  const quantifiers = [...source.matchAll(/(?<![\\(])[+*]/g)].map(({ 0: sign, index }) =>
    [source.slice(0, index), sign === '+' ? '*' : '+', source.slice(index + 1)].join(''),
  )
  const anchors = [source.replace(/^\^/, ''), source.replace(/(?<!\\)\$$/, '')].filter((other) => other !== source)
  for (const other of [...anchors, ...quantifiers]) yield ['regular expression', node, `/${other}/${flags}`]
  for (const flag of flags) yield ['regular expression', node, `/${source}/${flags.replace(flag, '')}`]
}

/** @param {ts.Node} node @returns {Defects} */
function* breakCalls(node) {
  if (ts.isPropertyAccessExpression(node) && node.questionDotToken) yield ['chaining', node.questionDotToken, '!.']
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return
  const { name, expression } = node.expression
  const other = METHODS.get(name.text)
  if (other !== undefined) yield ['method', name, other]
  if (FILTERS.includes(name.text)) yield ['method', node, expression.getText()]
}

/** Types and imports are left alone: what is wrong there does not compile. */
const isLeftAlone = (/** @type {ts.Node} */ node) =>
  ts.isTypeNode(node) ||
  ts.isInterfaceDeclaration(node) ||
  ts.isTypeAliasDeclaration(node) ||
  ts.isImportDeclaration(node)

const BREAKERS = [
  ...[breakConditions, breakOperators, breakLiterals, breakStatements, breakRegularExpressions, breakCalls],
]

/**
 * All that can be made wrong in a file.
 * @param {string} source
 * @returns {Mutation[]}
 */
export function listMutations(source) {
  const file = ts.createSourceFile('file.ts', source, ts.ScriptTarget.Latest, true)
  /** @param {ts.Node} node @returns {Mutation[]} */
  function mutationsIn(node) {
    if (isLeftAlone(node)) return []
    const here = BREAKERS.flatMap((breakNode) => [...breakNode(node)]).map(([kind, replaced, text]) => ({
      ...{ kind, text, start: replaced.getStart(), end: replaced.end },
    }))
    return [...here, ...node.getChildren().flatMap(mutationsIn)]
  }
  return mutationsIn(file)
}
