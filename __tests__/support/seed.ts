/**
 * What random cases are drawn from: the same ones each time, so that a failure is one for everybody, and whoever commits is
 * not told of a case that another one's change brought in. `npm run test:soak` draws others.
 */
export const SEED = Number(process.env['SEED'] ?? 20_260_101)

/** The day in the same form, which `jest.config.js` prints: what is too much for every run takes turns by it. */
export const DAY_SEED = Number(process.env['SEED'] ?? process.env['DAY_SEED'] ?? 1)

/** Whether all is tried that there is, and not the part that each run can afford. */
export const IS_SOAK = process.env['SOAK'] === 'true'
