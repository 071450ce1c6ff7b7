export const id = 761;
export const ids = [761];
export const modules = {

/***/ 4761:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   readRunFacts: () => (/* binding */ readRunFacts)
/* harmony export */ });
/* unused harmony export runFactsOf */
/* harmony import */ var _actions_github__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(1351);

const WORKFLOW_REF = /\/([^/@]+\.ya?ml)@/;
function addressOf(text, otherwise) {
    return text !== undefined && URL.canParse(text) ? text : otherwise;
}
function runFactsOf(env, payload) {
    return {
        eventName: env['GITHUB_EVENT_NAME'] ?? '',
        payload,
        sha: env['GITHUB_SHA'] ?? '',
        refName: env['GITHUB_REF_NAME'] ?? '',
        repository: env['GITHUB_REPOSITORY'] ?? '',
        runId: Number(env['GITHUB_RUN_ID'] ?? '0'),
        workflow: WORKFLOW_REF.exec(env['GITHUB_WORKFLOW_REF'] ?? '')?.[1],
        serverUrl: addressOf(env['GITHUB_SERVER_URL'], 'https://github.com'),
        apiUrl: addressOf(env['GITHUB_API_URL'], 'https://api.github.com'),
    };
}
function readRunFacts(env) {
    return runFactsOf(env, _actions_github__WEBPACK_IMPORTED_MODULE_0__/* .context */ ._.payload);
}


/***/ })

};
