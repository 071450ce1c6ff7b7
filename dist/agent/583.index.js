export const id = 583;
export const ids = [583];
export const modules = {

/***/ 6583:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  connectGitHub: () => (/* binding */ connectGitHub)
});

// EXTERNAL MODULE: ./node_modules/@actions/github/lib/github.js
var github = __webpack_require__(1351);
// EXTERNAL MODULE: ./node_modules/@actions/github/lib/utils.js + 19 modules
var utils = __webpack_require__(5555);
// EXTERNAL MODULE: ./node_modules/@octokit/plugin-retry/dist-bundle/index.js
var dist_bundle = __webpack_require__(9735);
// EXTERNAL MODULE: ./node_modules/@octokit/plugin-throttling/dist-bundle/index.js
var plugin_throttling_dist_bundle = __webpack_require__(6856);
// EXTERNAL MODULE: ./build/shared/errors.js
var errors = __webpack_require__(2005);
;// CONCATENATED MODULE: ./build/github/bounded-fetch.js
const ATTEMPT_MS = 30_000;
class AttemptTimedOut extends Error {
}
async function readWhole(asked) {
    const answer = await asked;
    const body = await answer.arrayBuffer();
    const whole = new Response(body.byteLength === 0 ? null : body, {
        status: answer.status,
        statusText: answer.statusText,
        headers: [...answer.headers],
    });
    return Object.defineProperty(whole, 'url', { value: answer.url });
}
function createBoundedFetch(fetch, clock, signal) {
    async function expire(end) {
        await clock.sleep(ATTEMPT_MS, end);
        throw new AttemptTimedOut('No answer in time.');
    }
    return async (url, init) => {
        signal.throwIfAborted();
        const done = new AbortController();
        const end = AbortSignal.any([signal, done.signal]);
        try {
            return await Promise.race([readWhole(fetch(url, { ...init, signal: end })), expire(end)]);
        }
        finally {
            done.abort();
        }
    };
}

// EXTERNAL MODULE: ./build/shared/untrusted-text.js
var untrusted_text = __webpack_require__(3908);
;// CONCATENATED MODULE: ./build/github/github-error.js


const LONGEST_QUOTE = 200;
function property(value, name) {
    return typeof value === 'object' && value !== null ? value[name] : undefined;
}
function refusalOf(error) {
    const status = property(error, 'status');
    const response = property(error, 'response');
    if (typeof status !== 'number' || response === undefined)
        return undefined;
    const said = property(property(response, 'data'), 'message');
    const message = typeof said === 'string' ? said : '';
    const remaining = property(property(response, 'headers'), 'x-ratelimit-remaining');
    const isLimited = remaining === '0' || /\brate limit\b/i.test(message);
    return { status, message, isRateLimit: status === 429 || (status === 403 && isLimited) };
}
function grantHint({ permission, repository }) {
    return `Grant \`${permission}\` under \`permissions\` of the job; for a repository other than the workflow's own, give \`github-token\` a token that has it in ${repository}.`;
}
function refused({ status, message, isRateLimit }, need) {
    if (isRateLimit)
        return new errors/* ActionError */.l('rate-limited', 'GitHub limits the rate of requests.');
    if (status >= 500)
        return new errors/* ActionError */.l('service-error', `GitHub answered ${status}.`);
    switch (status) {
        case 401:
            return new errors/* ActionError */.l('unauthorized', 'GitHub refused the token (401).', {
                hint: 'Check what `github-token` is given from: a token may have expired.',
            });
        case 403:
            return new errors/* ActionError */.l('forbidden', `the token has no \`${need.permission}\` in ${need.repository} (403).`, {
                hint: grantHint(need),
            });
        case 404:
            return new errors/* ActionError */.l('not-found', `GitHub does not show this to the token (404): it is not there, or the token has no \`${need.permission}\` in ${need.repository}.`, { hint: grantHint(need) });
        default:
            return new errors/* ActionError */.l('rejected', `GitHub answered ${status}.`, { quote: (0,untrusted_text/* oneLine */.TN)(message, LONGEST_QUOTE) });
    }
}
function toActionError(error, need) {
    if (error instanceof errors/* ActionError */.l)
        return error;
    const refusal = refusalOf(error);
    if (refusal !== undefined)
        return refused(refusal, need);
    if (error instanceof TypeError)
        return new errors/* ActionError */.l('bad-answer', 'GitHub gave an answer that makes no sense.');
    return new errors/* ActionError */.l('unreachable', 'GitHub could not be reached.', {
        hint: 'Check the proxy and the network of the runner, and `GITHUB_API_URL`.',
    });
}

;// CONCATENATED MODULE: ./build/github/retry-policy.js
const MOST_RATE_LIMIT_WAITS = 3;
function mayWaitForRateLimit(retryAfterSeconds, retryCount, leftMs) {
    return retryCount < MOST_RATE_LIMIT_WAITS && retryAfterSeconds * 1000 < leftMs;
}

;// CONCATENATED MODULE: ./build/github/ask-github.js








const DO_NOT_RETRY = [400, 401, 403, 404, 409, 410, 422, 429, 451];
const RETRIES = 3;
const USER_AGENT = 'docs-agent-action';
function createAskGitHub(options) {
    const { token, apiUrl, clock, signal, deadlineAt, debug, retryUnitMs = 1_000 } = options;
    const closed = new AbortController();
    const end = AbortSignal.any([signal, closed.signal]);
    const leftMs = () => deadlineAt - clock.now();
    const onLimit = (kind) => (retryAfter, request, _octokit, retryCount) => {
        debug(`GitHub's ${kind} rate limit: ${request.method ?? ''} ${request.url ?? ''} may come back in ${retryAfter} s.`);
        return mayWaitForRateLimit(retryAfter, retryCount, leftMs());
    };
    const quiet = { debug, info: debug, warn: debug, error: debug };
    const octokit = (0,github/* getOctokit */.Q)(token, {
        baseUrl: apiUrl,
        userAgent: USER_AGENT,
        log: quiet,
        request: { fetch: createBoundedFetch(proxiedFetch(), clock, end), log: quiet },
        retry: { doNotRetry: DO_NOT_RETRY, retries: RETRIES, retryAfterBaseValue: retryUnitMs },
        throttle: {
            onRateLimit: onLimit('primary'),
            onSecondaryRateLimit: onLimit('secondary'),
            retryAfterBaseValue: retryUnitMs,
        },
    }, dist_bundle/* retry */.L, plugin_throttling_dist_bundle/* throttling */.A);
    async function expire(done) {
        await clock.sleep(Math.max(0, leftMs()), AbortSignal.any([signal, done]));
        const error = new errors/* ActionError */.l('deadline', 'The time ran out before GitHub had answered.');
        closed.abort(error);
        throw error;
    }
    return async (need, call) => {
        signal.throwIfAborted();
        const done = new AbortController();
        try {
            return await Promise.race([expire(done.signal), call(octokit)]);
        }
        catch (error) {
            signal.throwIfAborted();
            throw toActionError(error, need);
        }
        finally {
            done.abort();
        }
    };
}
function proxiedFetch() {
    return utils/* defaults */.NT.request.fetch;
}

;// CONCATENATED MODULE: ./build/github/read-pages.js
const PAGE_SIZE = 100;
async function readPages(readPage, maxPages) {
    const items = [];
    for (let page = 1; page <= maxPages; page++) {
        const found = await readPage(page);
        items.push(...found);
        if (found.length < PAGE_SIZE)
            break;
    }
    return items;
}

;// CONCATENATED MODULE: ./build/github/repository-name.js
function splitRepository(repository) {
    const [owner = '', repo = ''] = repository.split('/');
    return { owner, repo };
}

;// CONCATENATED MODULE: ./build/github/checks.js


const PASSED = ['success', 'neutral', 'skipped'];
const MOST_PAGES = 10;
function stateOfRun(status, conclusion) {
    if (status !== 'completed')
        return 'pending';
    return PASSED.includes(conclusion ?? '') ? 'success' : 'failure';
}
function stateOfStatus(state) {
    if (state === 'success' || state === 'pending')
        return state;
    return 'failure';
}
async function readChecks(ask, repository, sha, ownRunId) {
    const where = { ...splitRepository(repository), ref: sha, per_page: PAGE_SIZE };
    const isOwn = (url) => `${url ?? ''}/`.includes(`/actions/runs/${ownRunId}/`);
    const runs = await ask({ permission: 'checks: read', repository }, ({ rest }) => readPages(async (page) => (await rest.checks.listForRef({ ...where, filter: 'latest', page })).data.check_runs, MOST_PAGES));
    const statuses = await ask({ permission: 'statuses: read', repository }, ({ rest }) => readPages(async (page) => (await rest.repos.getCombinedStatusForRef({ ...where, page })).data.statuses, MOST_PAGES));
    return [
        ...runs
            .filter(({ details_url, html_url }) => !isOwn(details_url) && !isOwn(html_url))
            .map(({ name, status, conclusion }) => ({ name, state: stateOfRun(status, conclusion) })),
        ...statuses.map(({ context, state }) => ({ name: context, state: stateOfStatus(state) })),
    ];
}

;// CONCATENATED MODULE: ./build/github/comparisons.js


const MOST_FILES = 300;
const MOST_COMMIT_PAGES = 5;
async function compareCommits(ask, repository, base, head) {
    const need = { permission: 'contents: read', repository };
    const readPage = (page) => ask(need, async ({ rest }) => {
        const basehead = `${base}...${head}`;
        const where = { ...splitRepository(repository), basehead, per_page: PAGE_SIZE, page };
        const { data } = await rest.repos.compareCommitsWithBasehead(where);
        const commits = data.commits.map(({ sha, commit }) => ({
            sha,
            message: commit.message,
            author: commit.author?.name ?? '',
        }));
        const files = (data.files ?? []).map((file) => ({
            path: file.filename,
            status: file.status,
            previousPath: file.previous_filename,
            additions: file.additions,
            deletions: file.deletions,
            patch: file.patch,
        }));
        return {
            relation: data.status,
            mergeBase: data.merge_base_commit.sha,
            totalCommits: data.total_commits,
            commits,
            files,
        };
    });
    const first = await readPage(1);
    const commits = [...first.commits];
    for (let page = 2; page <= MOST_COMMIT_PAGES && commits.length < first.totalCommits; page++) {
        const more = await readPage(page);
        if (more.commits.length === 0)
            break;
        commits.push(...more.commits);
    }
    return { ...first, commits, fileList: first.files.length < MOST_FILES ? 'whole' : 'cut' };
}

;// CONCATENATED MODULE: ./build/github/pull-request-marks.js


const LABEL_COLOUR = '5319e7';
const LABEL_DESCRIPTION = 'Opened by a docs agent job';
const TRUSTED = ['OWNER', 'MEMBER', 'COLLABORATOR'];
const MOST_COMMENT_PAGES = 5;
function hasStatus(error, ...statuses) {
    return error instanceof Error && 'status' in error && statuses.some((status) => status === error.status);
}
function addLabel(ask, { repository, number }, label) {
    const where = splitRepository(repository);
    return ask({ permission: 'pull-requests: write', repository }, async ({ rest }) => {
        try {
            await rest.issues.getLabel({ ...where, name: label });
        }
        catch (error) {
            if (!hasStatus(error, 404))
                throw error;
            await rest.issues
                .createLabel({ ...where, name: label, color: LABEL_COLOUR, description: LABEL_DESCRIPTION })
                .catch((refusal) => {
                if (!hasStatus(refusal, 422))
                    throw refusal;
            });
        }
        await rest.issues.addLabels({ ...where, issue_number: number, labels: [label] });
    });
}
function listTrustedComments(ask, { repository, number }) {
    return ask({ permission: 'pull-requests: read', repository }, async ({ rest }) => {
        const comments = await readPages(async (page) => {
            const where = { ...splitRepository(repository), issue_number: number, per_page: PAGE_SIZE, page };
            return (await rest.issues.listComments(where)).data;
        }, MOST_COMMENT_PAGES);
        return comments
            .filter(({ user, author_association }) => user?.type === 'Bot' || TRUSTED.includes(author_association))
            .map(({ body }) => ({ body: body ?? '' }));
    });
}
function addComment(ask, { repository, number }, body) {
    return ask({ permission: 'pull-requests: write', repository }, async ({ rest }) => {
        await rest.issues.createComment({
            ...splitRepository(repository),
            issue_number: number,
            body,
            request: { retries: 0 },
        });
    });
}

;// CONCATENATED MODULE: ./build/github/pull-requests.js


const PULL_REQUEST_STATES = (/* unused pure expression or super */ null && (['open', 'draft', 'closed', 'merged']));
function stateOf(state, isDraft, isMerged) {
    if (isMerged)
        return 'merged';
    if (state === 'closed')
        return 'closed';
    return isDraft ? 'draft' : 'open';
}
function readPullRequest(ask, { repository, number }) {
    return ask({ permission: 'pull-requests: read', repository }, async ({ rest }) => {
        const { data } = await rest.pulls.get({ ...splitRepository(repository), pull_number: number });
        return {
            repository,
            number,
            state: stateOf(data.state, data.draft ?? false, data.merged),
            branch: data.head.ref,
            headSha: data.head.sha,
            labels: data.labels.map(({ name }) => name),
            changedFiles: data.changed_files,
        };
    });
}
const MOST_FILE_PAGES = 30;
function listPullRequestFiles(ask, { repository, number }) {
    return ask({ permission: 'pull-requests: read', repository }, ({ rest }) => readPages(async (page) => {
        const where = { ...splitRepository(repository), pull_number: number, per_page: PAGE_SIZE, page };
        const { data } = await rest.pulls.listFiles(where);
        return data.map((file) => ({ path: file.filename, previousPath: file.previous_filename }));
    }, MOST_FILE_PAGES));
}
function findPullRequestsOfCommit(ask, repository, sha) {
    return ask({ permission: 'pull-requests: read', repository }, async ({ rest }) => {
        const { data } = await rest.repos.listPullRequestsAssociatedWithCommit({
            ...splitRepository(repository),
            commit_sha: sha,
        });
        return data.map(({ number, labels }) => ({ number, labels: labels.map(({ name }) => name) }));
    });
}

;// CONCATENATED MODULE: ./build/github/workflow-runs.js

const RUNS_READ = 30;
function findLastSuccess(ask, query) {
    const { repository, workflow, branch, runId } = query;
    return ask({ permission: 'actions: read', repository }, async ({ rest }) => {
        const { data } = await rest.actions.listWorkflowRuns({
            ...splitRepository(repository),
            workflow_id: workflow,
            branch,
            status: 'success',
            exclude_pull_requests: true,
            per_page: RUNS_READ,
        });
        return data.workflow_runs.find(({ id }) => id < runId)?.head_sha;
    });
}

;// CONCATENATED MODULE: ./build/github/connect-github.js






function connectGitHub(options) {
    const ask = createAskGitHub(options);
    return {
        compare: (repository, base, head) => compareCommits(ask, repository, base, head),
        findLastSuccess: (query) => findLastSuccess(ask, query),
        findPullRequestsOfCommit: (repository, sha) => findPullRequestsOfCommit(ask, repository, sha),
        readPullRequest: (address) => readPullRequest(ask, address),
        listPullRequestFiles: (address) => listPullRequestFiles(ask, address),
        listTrustedComments: (address) => listTrustedComments(ask, address),
        addLabel: (address, label) => addLabel(ask, address, label),
        addComment: (address, body) => addComment(ask, address, body),
        readChecks: (repository, sha, ownRunId) => readChecks(ask, repository, sha, ownRunId),
    };
}


/***/ })

};
