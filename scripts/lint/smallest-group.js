import ts from 'typescript'

/** What a function may take of a step: each group is an interface that extends the one before it. */
const GROUPS = ['Facts', 'Reads', 'Acts']

/**
 * Lists the fields that a destructuring takes.
 * @param {ts.ObjectBindingPattern} pattern
 * @returns {readonly string[] | undefined} undefined: all, because it has a rest element or a computed name
 */
function listKeys({ elements }) {
  const keys = elements.map(({ propertyName, name, dotDotDotToken }) => {
    const key = propertyName ?? name
    return dotDotDotToken === undefined && ts.isIdentifier(key) ? key.text : undefined
  })
  return keys.every((key) => key !== undefined) ? keys : undefined
}

/**
 * Reports a function that takes a group although a smaller one has all that it uses. Passing the whole group on uses what the
 * other function's parameter demands, so a signature shows what a function may touch through everything that it calls.
 * @type {import('eslint').Rule.RuleModule}
 */
export const smallestGroup = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: {
      tooLarge: 'Takes {{group}} but uses only what {{smallest}} has: narrow the parameter to {{smallest}}.',
    },
  },
  create(context) {
    const { sourceCode } = context
    const services = /** @type {import('@typescript-eslint/utils').ParserServicesWithTypeInformation} */ (
      sourceCode.parserServices
    )
    const checker = services.program.getTypeChecker()
    const toTypeScript = (/** @type {unknown} */ node) =>
      services.esTreeNodeToTSNodeMap.get(/** @type {import('@typescript-eslint/utils').TSESTree.Node} */ (node))

    const listFields = (/** @type {ts.Type} */ type) =>
      checker.getPropertiesOfType(checker.getNonNullableType(type)).map(({ name }) => name)

    /**
     * Lists the fields that one mention of a parameter uses.
     * @param {ts.Node} mention
     * @returns {readonly string[] | undefined} undefined: possibly all
     */
    function listUsed(mention) {
      const { parent } = mention
      if (ts.isObjectBindingPattern(mention)) return listKeys(mention)
      if (ts.isPropertyAccessExpression(parent)) return [parent.name.text]
      if (ts.isVariableDeclaration(parent) && ts.isObjectBindingPattern(parent.name)) return listKeys(parent.name)
      const demanded = ts.isExpression(mention) && checker.getContextualType(mention)
      // The type of a type parameter has no fields.
      return demanded && listFields(demanded).length > 0 ? listFields(demanded) : undefined
    }

    /**
     * @param {ts.Type} group
     * @param {readonly string[]} used
     * @returns {ts.Type} the smallest group that has the used fields
     */
    function findSmallest(group, used) {
      const has = (/** @type {ts.Type} */ type) => used.every((name) => type.getProperty(name) !== undefined)
      const smaller = group.getBaseTypes()?.find((base) => GROUPS.includes(base.symbol.name) && has(base))
      return smaller === undefined ? group : findSmallest(smaller, used)
    }

    return {
      ':function'(/** @type {import('estree').Function} */ node) {
        const { parameters } = /** @type {ts.FunctionLikeDeclaration} */ (toTypeScript(node))
        const variables = sourceCode.getDeclaredVariables(node)
        for (const [index, { name, type: annotation }] of parameters.entries()) {
          if (annotation === undefined || !GROUPS.includes(annotation.getText())) continue
          const variable = variables.find(({ identifiers }) => identifiers.some((one) => toTypeScript(one) === name))
          const mentions = variable?.references.map(({ identifier }) => toTypeScript(identifier)) ?? [name]
          const group = checker.getTypeFromTypeNode(annotation)
          const fields = listFields(group)
          const used = mentions
            .flatMap((mention) => listUsed(mention) ?? fields)
            .filter((field) => fields.includes(field))
          const smallest = findSmallest(group, used)
          if (smallest === group) continue
          const [reported = node] = node.params.slice(index)
          const data = { group: group.symbol.name, smallest: smallest.symbol.name }
          context.report({ node: reported, messageId: 'tooLarge', data })
        }
      },
    }
  },
}
