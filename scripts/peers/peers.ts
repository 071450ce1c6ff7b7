/** A third-party program that comments on pull requests in workflows. */
export interface Peer {
  /** The files of the folder that it runs in. */
  readonly files: Readonly<Record<string, string>>
  readonly args: readonly string[]
  /** The expected pull request after the first run and after the second run. */
  readonly expected: readonly [Expected, Expected]
}

export interface Expected {
  /** Texts in each comment of the conversation. */
  readonly comments: readonly (readonly string[])[]
  /** `path:line` of each comment on a line, followed by texts in it. */
  readonly onLines?: readonly (readonly string[])[]
  readonly labels?: readonly string[]
  /** All commit statuses, oldest first. */
  readonly statuses?: readonly string[]
}

/** Danger reads the change and a file, sets a label, and writes the messages as comments. */
const DANGERFILE = `
const { danger, markdown, message, schedule, warn } = require('danger')

message('New pages: ' + danger.git.created_files.join(', '))
warn('Say more.', 'docs/guide.md', 2)
schedule(async () => {
  const { added } = await danger.git.diffForFile('docs/guide.md')
  const text = await danger.github.utils.fileContents('docs/guide.md')
  await danger.github.utils.createOrAddLabel({ name: 'guide', color: '0e8a16', description: 'About the guide' })
  markdown('Diff: ' + JSON.stringify(added) + '. File: ' + JSON.stringify(text) + '.')
})
`

const DANGER_COMMENT = ['New pages: docs/guide.md', 'Diff: "+# Guide\\n+Read on.". File: "# Guide\\nRead on.\\n".']

/** A report in the format of CTRF. */
const REPORT = {
  results: {
    tool: { name: 'links' },
    summary: { tests: 2, passed: 1, failed: 1, pending: 0, skipped: 0, other: 0, start: 1, stop: 2 },
    tests: [
      { name: 'The index has no dead link', status: 'passed', duration: 1 },
      { name: 'The guide has no dead link', status: 'failed', duration: 1 },
    ],
  },
}

/** The programs by the names of their packages. */
export const PEERS: Readonly<Record<string, Peer>> = {
  danger: {
    files: { 'dangerfile.js': DANGERFILE },
    args: ['ci'],
    expected: [
      {
        comments: [DANGER_COMMENT],
        onLines: [['docs/guide.md:2', ':warning: Say more.']],
        labels: ['guide'],
        statuses: ['success'],
      },
      // The comment is updated, and the comment on the line is kept.
      {
        comments: [DANGER_COMMENT],
        onLines: [['docs/guide.md:2', ':warning: Say more.']],
        labels: ['guide'],
        statuses: ['success', 'success'],
      },
    ],
  },
  'github-actions-ctrf': {
    files: { 'report.json': JSON.stringify(REPORT) },
    args: ['failed', 'report.json', '--pull-request', '--overwrite-comment', '--comment-tag', 'links'],
    expected: [
      { comments: [['The guide has no dead link']] },
      { comments: [['The guide has no dead link', 'This comment has been updated']] },
    ],
  },
}
