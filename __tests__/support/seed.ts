/**
 * The seed of random cases. It is fixed by default, so that failures are reproducible, and no change fails because of a
 * random case that has nothing to do with it. `npm run test:soak` uses other seeds.
 */
export const SEED = Number(process.env['SEED'] ?? 20_260_101)
