import { expect, test } from '@jest/globals'
import { includesPath, parsePathRules } from '../../src/agent/path-filter.ts'

const matches = (pattern: string, path: string): boolean => includesPath(parsePathRules(pattern), path)

const containing = (part: string): unknown => expect.stringContaining(part)

/** The examples of GitHub's documentation of filter patterns, with paths that they do not match. */
test.each([
  ['*', ['README.md', 'server.rb', '.env'], ['docs/a.md']],
  ['*.jsx?', ['page.js', 'page.jsx'], ['page.jsxx', 'page.j', 'src/page.js']],
  ['**', ['all/the/files.md', 'README.md'], []],
  ['*.js', ['app.js', 'index.js'], ['src/app.js', 'app.js\n']],
  ['**.js', ['index.js', 'js/index.js', 'src/js/app.js'], ['index.jsx']],
  ['docs/*', ['docs/README.md', 'docs/file.txt'], ['docs/a/b.md', 'docs2/a.md']],
  ['docs/**', ['docs/README.md', 'docs/mona/octocat.txt'], ['other/docs/a.md', 'docs']],
  ['docs/**/*.md', ['docs/README.md', 'docs/mona/hello.md', 'docs/a/markdown/file.md'], ['docs/a.txt', 'docsa.md']],
  ['**/docs/**', ['docs/hello.md', 'dir/docs/my-file.txt', 'space/docs/plan/space.doc'], ['mydocs/a.md']],
  ['**/README.md', ['README.md', 'js/README.md'], ['js/MYREADME.md', 'README.mdx']],
  ['**/*src/**', ['a/src/app.js', 'my-src/code/js/app.js'], ['source/a.js']],
  ['**/*-post.md', ['my-post.md', 'path/their-post.md'], ['post.md']],
  ['**/migrate-*.sql', ['migrate-10909.sql', 'db/migrate-v1.0.sql', 'db/sept/migrate-v1.sql'], ['db/migrate.sql']],
  ['v[12].[0-9]+.md', ['v1.10.md', 'v2.0.md'], ['v3.0.md', 'v1..md', 'v1.x.md']],
  ['[ab]+c', ['ac', 'abbac'], ['c', 'adc']],
  ['**/*-*-*.md', ['-----.md', 'a/b-c-d.md'], ['-----x', 'a-b.md']],
  ['**/a', ['a', 'b/a', 'b/c/a'], ['ba', 'b/ca']],
  ['a**c', ['ac', 'abc', 'a/b/c', 'a\nc'], ['ab']],
  ['[a-a]', ['a'], ['b']],
  ['go+gle', ['gogle', 'gooogle'], ['ggle']],
  ['a\\?b', ['a?b'], ['axb', 'ab', 'b']],
  ['\\!a', ['!a'], ['a', 'b']],
  ['a.b', ['a.b'], ['axb']],
  ['{a}.md', ['{a}.md'], ['a.md']],
  ['(a)\\|b$^.md', ['(a)|b$^.md'], ['a']],
  ['docs/ü?.md', ['docs/.md', 'docs/ü.md'], ['docs/u.md']],
  ['😀+', ['😀', '😀😀'], ['']],
  ['a?b?c', ['c', 'ac', 'bc', 'abc'], ['aabc', 'ba', '']],
  ['a\\', ['a\\'], ['a']],
  ['**/a/**/b', ['a/b', 'x/a/b', 'x/y/a/z/b'], ['xa/b', 'a/xb', 'a//xb']],
  ['a\\,b.md', ['a,b.md'], ['a', 'b.md']],
  ['docs\\, x/**', ['docs, x/a'], ['docs']],
  ["it's.md", ["it's.md"], ['its.md']],
] as const)('%s matches the same paths as on GitHub', (pattern, inside, outside) => {
  expect([...inside, ...outside].filter((path) => matches(pattern, path))).toEqual([...inside])
})

test('lets the last matching pattern decide', () => {
  const rules = parsePathRules('docs/**\n!docs/private/**\n\n  docs/private/public.md  \r\n')
  const paths = ['docs/a.md', 'docs/private/a.md', 'docs/private/public.md', 'src/a.ts']
  expect(paths.map((path) => includesPath(rules, path))).toEqual([true, false, true, false])
})

test('returns no rules for an empty input', () => {
  expect(parsePathRules(' \n\n')).toEqual([])
})

test.each([
  ['!docs/**', 'begin with `!`'],
  ['!', 'has no pattern'],
  ['/docs/**', 'begins with `/`'],
  ['docs/', 'add `**`'],
  ['?a', 'no character before it'],
  ['a++', 'no character before it'],
  ['**+', 'no character before it'],
  ['[a', 'does not begin a list'],
  ['[]', 'does not begin a list'],
  ['[!a]', 'does not begin a list'],
  ['[z-a]', 'ends before it begins'],
  ['docs/**, api/**', 'a comma, which is not a separator'],
  ['docs/**,api/**', 'a comma, which is not a separator'],
  ['docs/**,', 'a comma, which is not a separator'],
  ['README.md, docs', 'a comma, which is not a separator'],
  ['README.md,*.txt', 'a comma, which is not a separator'],
  // What YAML makes of a list after `>`.
  [
    'src/** docs/**',
    'a space, which is not a separator; write each pattern on a separate line after `|` (`>` joins the lines)',
  ],
  ['./docs/**', 'begins with `./`'],
  ['"docs/**"', 'has quotes around it'],
  ["'docs/**'", 'has quotes around it'],
  ['docs\\guide.md', 'separated by `/`'],
  ['docs\\**\\2.md', 'separated by `/`'],
])('rejects %s: %s', (pattern, part) => {
  expect(() => parsePathRules(pattern)).toThrow(expect.objectContaining({ problems: [containing(part)] }))
})

test('names every invalid line', () => {
  const problems = [containing('line 1 begins with'), containing('line 4 has a')]
  expect(() => parsePathRules('/a\nb\n\n[')).toThrow(expect.objectContaining({ problems }))
})
