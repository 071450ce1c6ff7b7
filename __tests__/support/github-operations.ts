import type {
  ComparisonState,
  FileState,
  GitHubState,
  PermissionName,
  PullState,
  RepositoryState,
} from './github-state.ts'

export interface Asked {
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly body: unknown
}

export interface Answered {
  readonly status: number
  /** Only what matters; the rest is filled in from GitHub's description. */
  readonly body: unknown
}

export interface GitHubOperation {
  readonly permission: PermissionName
  readonly access: 'read' | 'write'
  readonly answer: (repository: RepositoryState, asked: Asked, state: GitHubState) => Answered
}

const ok = (body: unknown): Answered => ({ status: 200, body })
const notFound: Answered = { status: 404, body: { message: 'Not Found' } }

function pageOf<T>(items: readonly T[], query: URLSearchParams): readonly T[] {
  const size = Number(query.get('per_page') ?? '30')
  const start = (Number(query.get('page') ?? '1') - 1) * size
  return items.slice(start, start + size)
}

function fileBody(file: FileState): object {
  const { additions = 1, deletions = 0 } = file
  return { status: 'modified', ...file, additions, deletions, changes: additions + deletions, sha: 'f'.repeat(40) }
}

function commitBody({ sha, message, author = 'Ann' }: ComparisonState['commits'][number]): object {
  return { sha, commit: { message, author: { name: author } } }
}

function pullBody(number: number, pull: PullState): object {
  const { state, draft, merged, branch, headSha, labels, files } = pull
  return {
    number,
    state,
    draft,
    merged,
    head: { ref: branch, sha: headSha },
    labels: labels.map((name) => ({ name })),
    changed_files: files.length,
  }
}

const commentBody = ({ body, userType, association }: PullState['comments'][number], id = 1): object => ({
  id,
  body,
  user: { type: userType },
  author_association: association,
})

/** No two comments of a repository have the same one. */
const commentId = (pull: number, index: number): number => pull * 1_000 + index

function withPull(number: string | undefined, answer: (pull: PullState, number: number) => Answered) {
  return (repository: RepositoryState): Answered => {
    const pull = repository.pulls[Number(number)]
    return pull === undefined ? notFound : answer(pull, Number(number))
  }
}

/** What this GitHub can do, by the names of GitHub's own description. */
export const OPERATIONS: Readonly<Record<string, GitHubOperation>> = {
  'repos/compare-commits-with-basehead': {
    permission: 'contents',
    access: 'read',
    answer: ({ comparisons }, { params: { basehead = '' }, query }) => {
      const found = comparisons[basehead]
      if (found === undefined) return notFound
      const { relation, commits, files, mergeBase = basehead.split('...')[0] } = found
      const isFirstPage = (query.get('page') ?? '1') === '1'
      return ok({
        status: relation,
        merge_base_commit: { sha: mergeBase },
        ahead_by: commits.length,
        total_commits: commits.length,
        commits: pageOf(commits, query).map(commitBody),
        files: isFirstPage ? files.slice(0, 300).map(fileBody) : [],
      })
    },
  },
  'actions/list-workflow-runs': {
    permission: 'actions',
    access: 'read',
    answer: ({ runs }, { params: { workflow_id }, query }) => {
      const found = runs.filter(
        (run) =>
          run.workflow === workflow_id && run.branch === query.get('branch') && run.conclusion === query.get('status'),
      )
      const bodies = pageOf(found, query).map(({ id, headSha, branch }) => ({
        id,
        head_sha: headSha,
        head_branch: branch,
      }))
      return ok({ total_count: found.length, workflow_runs: bodies })
    },
  },
  'repos/list-pull-requests-associated-with-commit': {
    permission: 'pull-requests',
    access: 'read',
    answer: ({ commits, pulls }, { params: { commit_sha = '' } }) =>
      ok(
        (commits[commit_sha] ?? []).map((number) => ({
          number,
          labels: (pulls[number]?.labels ?? []).map((name) => ({ name })),
        })),
      ),
  },
  'pulls/list': {
    permission: 'pull-requests',
    access: 'read',
    answer: ({ pulls }, { query }) => {
      const found = Object.entries(pulls).filter(([, { state }]) => state === (query.get('state') ?? 'open'))
      return ok(pageOf(found, query).map(([number, pull]) => pullBody(Number(number), pull)))
    },
  },
  'pulls/list-commits': {
    permission: 'pull-requests',
    access: 'read',
    answer: (repository, { params, query }) =>
      withPull(params['pull_number'], ({ commits = [] }) =>
        ok(
          pageOf(commits, query).map(({ userType, ...rest }) => ({ ...commitBody(rest), author: { type: userType } })),
        ),
      )(repository),
  },
  'pulls/get': {
    permission: 'pull-requests',
    access: 'read',
    answer: (repository, { params }) =>
      withPull(params['pull_number'], (pull, number) => ok(pullBody(number, pull)))(repository),
  },
  'pulls/list-files': {
    permission: 'pull-requests',
    access: 'read',
    answer: (repository, { params, query }) =>
      withPull(params['pull_number'], ({ files }) => ok(pageOf(files, query).map(fileBody)))(repository),
  },
  'issues/list-comments': {
    permission: 'pull-requests',
    access: 'read',
    answer: (repository, { params, query }) =>
      withPull(params['issue_number'], ({ comments }, number) =>
        ok(
          pageOf(
            comments.map((comment, index) => commentBody(comment, commentId(number, index))),
            query,
          ),
        ),
      )(repository),
  },
  'issues/create-comment': {
    permission: 'pull-requests',
    access: 'write',
    answer: (repository, { params, body }) =>
      withPull(params['issue_number'], ({ comments }) => {
        const comment = { ...(body as { body: string }), userType: 'Bot', association: 'NONE' } as const
        comments.push(comment)
        return { status: 201, body: commentBody(comment) }
      })(repository),
  },
  'issues/update-comment': {
    permission: 'pull-requests',
    access: 'write',
    answer: ({ pulls }, { params, body }) => {
      const id = Number(params['comment_id'])
      const index = id % 1_000
      const comments = pulls[Math.floor(id / 1_000)]?.comments
      const comment = comments?.[index]
      if (comments === undefined || comment === undefined) return notFound
      comments[index] = { ...comment, ...(body as { body: string }) }
      return ok(commentBody(comments[index], id))
    },
  },
  'issues/get-label': {
    permission: 'pull-requests',
    access: 'read',
    answer: ({ labels }, { params: { name = '' } }) => (labels.includes(name) ? ok({ name }) : notFound),
  },
  'issues/create-label': {
    permission: 'pull-requests',
    access: 'write',
    answer: ({ labels }, { body }) => {
      const { name } = body as { name: string }
      if (labels.includes(name)) return { status: 422, body: { message: 'Validation Failed' } }
      labels.push(name)
      return { status: 201, body: { name } }
    },
  },
  'issues/add-labels': {
    permission: 'pull-requests',
    access: 'write',
    answer: (repository, { params, body }) =>
      withPull(params['issue_number'], ({ labels }) => {
        labels.push(...(body as { labels: string[] }).labels)
        return ok(labels.map((name) => ({ name })))
      })(repository),
  },
  'checks/list-for-ref': {
    permission: 'checks',
    access: 'read',
    answer: ({ checkRuns }, { params: { ref = '' }, query }) => {
      const found = checkRuns[ref] ?? []
      const bodies = pageOf(found, query).map(({ name, status, conclusion = null, detailsUrl = null }) => ({
        name,
        status,
        conclusion,
        details_url: detailsUrl,
        head_sha: ref,
      }))
      return ok({ total_count: found.length, check_runs: bodies })
    },
  },
  'repos/get-combined-status-for-ref': {
    permission: 'statuses',
    access: 'read',
    answer: ({ statuses }, { params: { ref = '' }, query }) => {
      const found = statuses[ref] ?? []
      const bodies = pageOf(found, query).map(({ context, state }) => ({ context, state }))
      return ok({ sha: ref, total_count: found.length, statuses: bodies })
    },
  },
}
