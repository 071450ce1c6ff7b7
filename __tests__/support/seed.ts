/**
 * What random cases are drawn from: the same ones each time, so that a failure is one for everybody, and whoever commits is
 * not told of a case that another one's change brought in. `npm run test:soak` draws others.
 */
export const SEED = Number(process.env['MODEL_SEED'] ?? 20_260_101)
