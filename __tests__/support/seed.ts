/**
 * What random cases are drawn from. By default always the same ones, so that everybody sees the same failures, and nobody's
 * commit fails because of a case that another change brought in. `npm run test:soak` draws others.
 */
export const SEED = Number(process.env['SEED'] ?? 20_260_101)
