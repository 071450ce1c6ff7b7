import { defineConfig } from 'eslint/config'
import tseslint from 'typescript-eslint'
import { smallestGroup } from './scripts/lint/smallest-group.js'

const NOT_AS_DEFAULT = 'Use named exports.'

const PROPERTIES = [
  { object: 'URL', property: 'canParse', message: 'Use parseUrl, which is right on Node 20 as well.' },
]
const SYNTAX = [
  { selector: 'ExportDefaultDeclaration', message: NOT_AS_DEFAULT },
  { selector: 'ExportAllDeclaration', message: 'Import from the file that defines it.' },
]

const ASK_A_CLOCK = 'Use an injected Clock instead.'
const TIMERS = ['setTimeout', 'setInterval', 'setImmediate']
const TIMES = ['Date.now', 'performance.now', 'process.hrtime', 'process.uptime', 'AbortSignal.timeout']

export default defineConfig(
  { ignores: ['dist/', 'build/', 'coverage/', '.tmp/', '**/*.cjs'] },
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      complexity: ['error', 20],
      // The slowest rule. The compiler's `erasableSyntaxOnly` allows no enums here.
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      'no-restricted-properties': ['error', ...PROPERTIES],
      'no-restricted-syntax': ['error', ...SYNTAX],
    },
  },
  {
    // Only the clock reads time or starts timers, and every import can be read from the source.
    files: ['src/**'],
    ignores: ['src/runtime/clock.ts', '**/*.d.ts'],
    rules: {
      'no-restricted-globals': ['error', ...TIMERS.map((name) => ({ name, message: ASK_A_CLOCK }))],
      'no-restricted-imports': ['error', { patterns: [{ regex: '^(node:)?timers(/|$)', message: ASK_A_CLOCK }] }],
      'no-restricted-properties': [
        'error',
        ...PROPERTIES,
        ...[...TIMES, ...TIMERS.map((name) => `globalThis.${name}`)].map((use) => {
          const [object, property] = use.split('.')
          return { object, property, message: ASK_A_CLOCK }
        }),
      ],
      'no-restricted-syntax': [
        'error',
        ...SYNTAX,
        { selector: 'ExportSpecifier[exported.name="default"]', message: NOT_AS_DEFAULT },
        { selector: 'NewExpression[callee.name="Date"][arguments.length=0]', message: ASK_A_CLOCK },
        { selector: 'ImportExpression:not([source.type="Literal"])', message: 'Name the module in a string.' },
      ],
    },
  },
  {
    // A signature shows whether a function is pure, only reads, or may change the record.
    files: ['src/agent/**'],
    plugins: { local: { rules: { 'smallest-group': smallestGroup } } },
    rules: { 'local/smallest-group': 'error' },
  },
  {
    // The types of parsed events and responses follow from their schemas.
    files: ['src/github/**'],
    rules: { '@typescript-eslint/explicit-module-boundary-types': 'off' },
  },
  {
    // JavaScript: these rules ignore the types in JSDoc.
    files: ['**/*.mjs', '**/*.js'],
    rules: {
      '@typescript-eslint/explicit-module-boundary-types': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
    },
  },
  {
    // GitHub's responses have some forty types, and each test reads few fields. All responses are checked against the API description.
    files: ['__tests__/emulator/github/**'],
    rules: {
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    files: ['*.config.js'],
    rules: { 'no-restricted-syntax': 'off' },
  },
)
