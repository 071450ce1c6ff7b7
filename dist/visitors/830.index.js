export const id = 830;
export const ids = [830];
export const modules = {

/***/ 6830:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   readEvent: () => (/* binding */ readEvent),
/* harmony export */   withholdsSecrets: () => (/* binding */ withholdsSecrets)
/* harmony export */ });
/* harmony import */ var _actions_github__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(2413);

function withholdsSecrets({ eventName, actor, payload }) {
    if (actor === 'dependabot[bot]')
        return true;
    if (!eventName.startsWith('pull_request') || eventName === 'pull_request_target')
        return false;
    return payload.pull_request?.head?.repo?.full_name !== payload.repository?.full_name;
}
function readEvent() {
    const { eventName, actor, payload } = _actions_github__WEBPACK_IMPORTED_MODULE_0__/* .context */ ._;
    return { eventName: eventName ?? '', actor: actor ?? '', payload: payload ?? {} };
}


/***/ })

};
