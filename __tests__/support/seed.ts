/**
 * What random cases are drawn from: the same ones each time, so that a failure is one for everybody, and whoever commits is
 * not told of a case that another one's change brought in. `npm run test:soak` draws others.
 */
export const SEED = Number(process.env['SEED'] ?? 20_260_101)

/** Whether all is tried that there is, and not the part that each run can afford. */
export const IS_SOAK = process.env['SOAK'] === 'true'
