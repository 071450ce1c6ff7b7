import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { root } from '../testing/markdown-files.ts'

/** The tests of each fact of the page, by their files. A name is that of a test, or of a row in a table of tests. */
const TESTS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'The pull requests of a commit': {
    'agent/change/origin.test.ts': ['after 3 s', 'after GitHub did not know the commit'],
    'emulator/github/history.test.ts': ['lists the pull request of a merged commit only after a lag'],
    'emulator/github/committers.test.ts': ['the pull requests of a merged commit are %s for the time of the lag'],
  },
  'The message of a merge commit': {
    'agent/change/origin.test.ts': [
      'reads the pull request that the message “%s” names, which GitHub lists late',
      'does not take a pushed commit with the message “%s” for a merge',
      'finds the pull request in the list if the message names an issue',
    ],
  },
  '`web-flow`': {
    'emulator/github/committers.test.ts': [
      'a %s by mona has commits by %j, in REST and in the push',
      '%s has the author and committer of %s',
    ],
  },
  'A rebase merge': {
    'emulator/github/committers.test.ts': ['a %s by mona has commits by %j, in REST and in the push'],
  },
  'The commits of a push': {
    'emulator/github/committers.test.ts': [
      'a push shows logins without the types of the accounts, and REST shows both',
      'an author without an account has no login',
    ],
  },
  'One commit': {
    'agent/change/loop.test.ts': ['a commit of two pull requests'],
  },
  'A merged pull request': {
    'report/numbers.test.ts': ['the numbers of a month, by prompt and by week'],
  },
  'Lists of workflow runs': {
    'github/workflow-runs.test.ts': ['finds a run that the filtered lists do not show for hours'],
    'bundle/github.test.ts': ['finds the last success although the lists that GitHub filters are stale'],
  },
  'A comparison': {
    'agent/change/incomparable.test.ts': [
      'sends the commits without files if GitHub cannot compare, and quotes it (%s)',
      'sends the whole history if the two ends have no common ancestor',
    ],
  },
  'The commits that changed a file': {
    'agent/change/since-last-success.test.ts': [
      'the first run on a %s begins at the commit that changed the workflow file last',
    ],
  },
  'A required workflow': {
    'action/step.test.ts': ['does not take the workflow file of another repository for one of this repository'],
  },
  'The branch of a workflow run': {
    'github/workflow-runs.test.ts': ['of a fork with the same branch name'],
  },
  "The branch of a fork's pull request": {
    'agent/forks.test.ts': ['does not treat a push to a branch of the same name in the base repository as the agent’s'],
  },
  'A new pull request': {
    'agent/features/reviewers.test.ts': ['retries for 30 seconds if a new pull request is not found'],
  },
  'The commit or tag of an event': {
    'github/new-objects.test.ts': [
      'waits for the head of an event that GitHub does not know yet',
      'does not wait for a base that a forced push has removed',
    ],
  },
  'A closed or merged pull request': {
    'emulator/github/agent-work.test.ts': ['does not add commits to a pull request after its merge'],
    'agent/turn/follow-up.test.ts': ['red if somebody uses `%s` while the agent works'],
  },
  Bots: {
    'agent/turn/follow-up.test.ts': ['counts a push by the agent that overwrites a commit by a person'],
  },
  'Pages of 100': {
    'github/small-pages.test.ts': [
      'the last retry of a list asks for small pages, at the usual time',
      'a 404 for a list of a repository that was read is retried with small pages',
    ],
  },
  "A comparison's files": {
    'github/comparisons.test.ts': ['of %d files returns %d, and the list is %s, because GitHub lists at most 300'],
  },
  'No `patch`': {
    'agent/change-section.test.ts': ['renders the complete change if it fits'],
  },
  "A pull request's commits": {
    'emulator/github/history.test.ts': ['lists at most 250 commits of a pull request'],
  },
  '`base.sha` of a merged pull request': {
    'emulator/github/history.test.ts': ['keeps the base commit from before the merge of a pull request: %s'],
    'agent/change/resolve-change.test.ts': ['a pull request by number'],
  },
  "A pull request's files": {
    'agent/features/wait-for-checks.test.ts': [
      'follows a head that moves after its checks have finished, and compares its files again',
    ],
  },
  "The files of a pull request's page": {
    'docs-service/pull-request-link.test.ts': ['returns %j for whether %s and %s are the same pull request'],
  },
  '`mergeable`': {
    'agent/github-scenarios.test.ts': ['reports a conflict with the base branch that GitHub computes late'],
  },
  'A renamed or moved repository': {
    'github/job-log.test.ts': ['requests the log of a renamed repository at its new URL'],
    'github/comparisons.test.ts': ['returns the current name of the repository for a comparison in %s'],
    'agent/features/rolling-follow-ups.test.ts': [
      'the pull request %s gets the follow-up, and its current URL is shown',
    ],
  },
  'Links of other services': {
    'agent/features/rolling-follow-ups.test.ts': ['the current name after the prompt is the same pull request: %s'],
  },
  'The visibility': {
    'github/visibility.test.ts': [
      'text may name a source that is public, or that has the known visibility of the target',
    ],
  },
  Tags: {
    'agent/change/preceding-tag.test.ts': ['%s follows, of %j, %s'],
  },
  '`mergeable_state: behind`': {
    'agent/features/checks-in-the-field.test.ts': [
      'a pull request that is behind its base is not ready, and that is said',
    ],
  },
  'The merge queue': {
    'agent/turn/follow-up.test.ts': ['red if somebody uses `%s` while the agent works'],
  },
  'Auto-merge': {
    'agent/continued-pull-request.test.ts': ['reports auto-merge on the pull request of the label before the prompt'],
  },
  "Agents' commits": {
    'agent/turn/agent-commits.test.ts': [
      'a follow-up that the agent commits in the name of a person has changed the pull request',
    ],
  },
  "A vendor's bot": {
    'agent/change/vendor-pull-requests.test.ts': [
      'a pull request that the app opened for a person in its editor is not ours',
    ],
  },
  'The commit of a `workflow_run`': {
    'agent/change/loop.test.ts': ['an unknown cause'],
  },
  '`workflow_run` without `types`': {
    'agent/change/range.test.ts': ['a workflow run that was requested', 'a workflow run in progress'],
  },
  'A run for a tag or a release': {
    'agent/change/range.test.ts': ['of a new tag', 'a release'],
  },
  '`pull_request_target`': {
    'agent/change/range.test.ts': ['a pull request of a fork'],
    'agent/forks.test.ts': ['does not start the agent after %s'],
  },
  'A push that deleted a branch': {
    'agent/change/range.test.ts': [
      'ignores earlier successes for a deleted branch if the run is not recorded on the default branch',
    ],
  },
  'Commits that another branch had before': {
    'agent/change/loop.test.ts': ["a bot's merge of the base into the branch of a pull request"],
    'emulator/github/webhook-events.test.ts': ['a push marks the commits that another branch had before'],
  },
  "Agents' code": {
    'agent/change/loop.test.ts': [
      "a merge by a bot of a bot's pull request that a person approved",
      "a merge group with a bot's pull request that a person approved",
    ],
  },
  'An app': {
    'agent/change/loop.test.ts': ['an issue that a bot opened', "a person's issue that a bot labelled"],
  },
  'The branch of a merge queue': {
    'github/event.test.ts': ['a merge queue'],
  },
  '`issue_comment`': {
    'action/step.test.ts': ['explains with %s why a %s by %s from %j has no key'],
    'agent/features/command.test.ts': ["sends the title, the text and the changes of somebody else's pull request"],
  },
  "A label by an app's token": {
    'emulator/github/webhook-events.test.ts': [
      "a label that an app's token sets starts workflows, and one that the workflow's token sets does not",
    ],
  },
  "An app's token": {
    'agent/change/loop.test.ts': ['a push to the branch of our open pull request', 'a bot without work of a person'],
  },
  "The agent's work": {
    'agent/change/unsupported-events.test.ts': [
      'sends no request for %s if the event cannot start the agent, and names the events that can',
    ],
  },
  'A loop guard that fails': {
    'agent/change/loop.test.ts': ['a bot without work of a person'],
  },
  'Text that is read again': {
    'agent/features/command.test.ts': ['sends the comment and the title from the event even if they were edited since'],
  },
  Secrets: {
    'action/step.test.ts': ['explains with %s why a %s by %s from %j has no key'],
    'github/workflow-runs.test.ts': ['of a push by Dependabot, which gets no secrets'],
  },
  'A concurrency group': {
    'recipes/work-kept.test.ts': ['$name loses no change if a waiting run is cancelled by the next one'],
  },
  'An agent on every push': {
    'readme-workflow.test.ts': ['with its permissions, end with one pull request and one job'],
  },
  Commands: {
    'agent/features/command-forms.test.ts': ['obeys %j'],
  },
  'A reply by mail': {
    'agent/features/mail-reply.test.ts': [
      'a mail reply ends before the line %j, and the reply says so',
      'a bare quotation is data inside the fence, with its place in the instruction',
    ],
  },
  'A review comment': {
    'agent/features/removed-line.test.ts': ['a comment with %j is on %s'],
  },
  'Rendered text': {
    'text/hidden.test.ts': ['leaves out %s, and says so'],
  },
  'An update of the branch': {
    'emulator/github/operations.test.ts': [
      'an update with an app’s token starts checks, and one with the workflow’s own token does not',
    ],
  },
  'A run whose jobs were skipped': {
    'recipes/conventions.test.ts': ['$name sends no prompt while DOCS_AGENT_PAUSED is true'],
  },
  'The event of a scheduled run': {
    'recipes/conventions.test.ts': ['recipes that can run on a schedule do not read the repository from the event'],
  },
  '`filter=latest`': {
    'emulator/github/checks.test.ts': ['lists the latest check runs of each suite, so a name can appear twice'],
  },
  'A push and a pull request': {
    'agent/github-scenarios.test.ts': ['keeps the failure of one event despite the success of another'],
  },
  'A job with `needs`': {
    'emulator/github/checks.test.ts': [
      'registers a job with `needs` after the jobs it needs, and keeps the suite in progress until then',
    ],
  },
  'A workflow that cannot start': {
    'github/commit-checks.test.ts': ['a workflow that cannot start'],
  },
  'A commit just pushed to a fork': {
    'github/checks.test.ts': ['reports the 422 “%s” for a head commit as %s'],
    'agent/forks.test.ts': ['waits for a head that GitHub does not know yet in the repository of the pull request'],
  },
  'The suite of an installed app': {
    'github/commit-checks.test.ts': ['an app that never had a check'],
  },
  '`action_required` from an app': {
    'github/commit-checks.test.ts': ['a check run with %s is a %s'],
  },
  '`waiting`': {
    'github/commit-checks.test.ts': ['a job that waits for approval, and its run'],
  },
  'A new title': {
    'fix-rounds.test.ts': [
      'looks at the checks again after a round without a commit, which may have changed the title',
    ],
  },
  'A conflict': {
    'agent/features/rolling-follow-ups.test.ts': ['no checks start, and title, summary and comment give the reason'],
  },
  'A run that waits for approval': {
    'agent/features/wait-for-checks.test.ts': [
      'reports checks that wait for approval as soon as no other check is pending',
    ],
  },
  'The newest job': {
    'github/commit-checks.test.ts': [
      'a cancelled job beside a later success of another event',
      'a job of an older run, started again after a later run',
    ],
  },
  'A list of checks': {
    'github/commit-checks.test.ts': ['a check run that is not listed'],
  },
  'No list of check runs': {
    'agent/github-scenarios.test.ts': [
      'reports a required check that is never registered',
      'reports a conflict with the base branch that GitHub computes late',
    ],
  },
  '`cancelled`, `stale` and `startup_failure`': {
    'agent/features/checks-in-the-field.test.ts': ['sends no round for a check with the conclusion %s, and names both'],
  },
  'The annotations of a check': {
    'agent/features/checks-in-the-field.test.ts': [
      'lists failures first, each annotation with its level, and reads further pages',
    ],
  },
  'Creating a label': {
    'github/labels.test.ts': [
      'without `issues: write` a label that exists is added, and a label that does not exist is not created',
    ],
    'readme-workflow.test.ts': [
      'without `issues: write`, are red and send nothing, because the label cannot be created',
    ],
  },
  'Who added a label': {
    'agent/change/pull-request-event.test.ts': [
      "stops after the second pull request of an agent's user if comments are refused and labels are not",
    ],
  },
  'Names of labels': {
    'github/labels.test.ts': ['compares labels without case, and never finds an empty label'],
  },
  'A 403 or 404': {
    'github/github-error.test.ts': ['a %d quotes GitHub’s message “%s”, with a matching hint'],
  },
  '`author_association`': {
    'github/comment-trust.test.ts': ['a login that passed to another account'],
  },
  "A collaborator's `permission`": {
    'github/comment-trust.test.ts': ['a custom role'],
    'emulator/github/github.test.ts': ['the role %s has the permission %s, and a user without a role can read'],
  },
  'Replies to replies': {
    'emulator/github/pulls.test.ts': ['a reply to a reply is refused'],
    'agent/features/parse-comment.test.ts': ['a reply to a comment on a line'],
  },
  "Anybody's app": {
    'agent/change/loop.test.ts': ['a merge of a pull request with a history by any bot'],
    'agent/features/reply.test.ts': ['does not edit a reply %s'],
  },
  "The agent's account": {
    'agent/change/loop.test.ts': ["the agent's account"],
  },
  'A deleted account': {
    'github/pull-requests.test.ts': [
      'lists approvers by the last verdict of each person, without bots and deleted accounts',
    ],
  },
  'An edited comment': {
    'agent/features/track.test.ts': ['are named in the first version of the comment'],
  },
  'A token for some repositories': {
    'emulator/github/github.test.ts': [
      'a token for some repositories cannot write to others, and cannot see private ones',
    ],
  },
  'A new app token': {
    'github/call.test.ts': ['retries a new token that GitHub does not know everywhere yet'],
  },
  'An old app token': {
    'github/call.test.ts': ['reports a token that is refused %s as invalid or as expired'],
  },
  'Passing a token': {
    'recipes/work-kept.test.ts': ['$path makes the token of an app in the job that uses it'],
  },
  'The author of a change': {
    'agent/github-scenarios.test.ts': ['requests reviews from people who approved the change before its authors'],
  },
  'Fine-grained personal tokens': {
    'github/fine-grained-token.test.ts': [
      'explains a %d for checks to a fine-grained personal token, without the token',
    ],
  },
  "A workflow's token": {
    'requests.test.ts': ['a step sends at most as many requests to GitHub as the page says: %s'],
  },
  'A secondary rate limit': {
    'github/github-error.test.ts': ['as long as `Retry-After`'],
  },
  'Rate limits in a row': {
    'github/call.test.ts': ['waits longer for each rate limit in a row, up to a minute'],
  },
  'Content created too quickly': {
    'github/github-error.test.ts': [
      'content that was submitted too quickly is a rate limit if only a validation error says so',
    ],
  },
  'Creating content': {
    'model/histories.test.ts': ['ten pushes result in one pull request whose comment names each push'],
  },
  'A comment': {
    'agent/history/history.test.ts': ['drops the oldest rows beyond 60,000 characters, and says how many'],
  },
  'The message of a 404': {
    'github/github-error.test.ts': ['a %d quotes GitHub’s message “%s”, with a matching hint'],
  },
  'A 422': {
    'github/github-error.test.ts': ['a 422 is explained by %s'],
  },
  'Concurrent edits': {
    'agent/features/track.test.ts': ['keeps the rows of both runs of one pull request'],
  },
  'A response': {
    'agent/features/reply.test.ts': ['does not resend a reply whose delivery is unknown'],
  },
  '`GITHUB_JOB`': {
    'agent/features/reply-text.test.ts': ['renders a different marker for each comment, run, job, step and matrix job'],
  },
}

const PAGE = readFileSync(`${root}docs/internals/github.md`, 'utf8')

/** The facts of the page: each has its name in bold, and ends with its sources in parentheses. */
const facts = Array.from(PAGE.matchAll(/^- .*$/gm), ([line]) => {
  const [, name = '', source = ''] = /^- \*\*(.+?)\*\* .+ \(((?:[^()]|\([^()]*\))+)\)$/.exec(line) ?? []
  return { line, name, source }
})

/** The title of a page, a thread, or GitHub's description of its API. */
const SOURCE = /“.+”|[\w.-]+\/[\w.-]+#\d+|API description|claude-code-action/

function hasTest(path: string, name: string): boolean {
  if (!existsSync(`${root}__tests__/${path}`)) return false
  const text = readFileSync(`${root}__tests__/${path}`, 'utf8')
  return [`'${name}'`, `"${name}"`, `\`${name}\``].some((literal) => text.includes(literal))
}

test('the page lists the facts that the action depends on, each with a name of its own', () => {
  expect(facts.map(({ name }) => name)).toEqual(Object.keys(TESTS))
  expect(facts.length).toBeGreaterThan(100)
})

test.each(facts)('“$name” has a public source and tests that exist', ({ line, name, source }) => {
  expect({ line, source }).toEqual({ line, source: expect.stringMatching(SOURCE) as unknown })
  const tests = Object.entries(TESTS[name] ?? {}).flatMap(([path, names]) => names.map((one) => ({ path, name: one })))
  expect(tests).not.toEqual([])
  expect(tests.filter((one) => !hasTest(one.path, one.name))).toEqual([])
})
