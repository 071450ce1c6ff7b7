/**
 * The seed of random cases. It is fixed by default, so that failures are reproducible, and no change fails because of a
 * random case that has nothing to do with it.
 */
export const SEED = Number(process.env['SEED'] ?? 20_260_101)

/** How many times their usual number of cases the tests in `__tests__/model` and `__tests__/faults` draw. */
export const RUNS = Number(process.env['RUNS'] ?? 1)

/**
 * Whether every kind of result must occur, without which a test would prove little. It does in the usual cases and in a
 * large number of others; a few others may lack a rare kind.
 */
export const MUST_VARY = process.env['MODEL_PATH'] === undefined && (process.env['SEED'] === undefined || RUNS >= 10)

/** Tests that draw cases end by themselves, so this only stops one that hangs. */
export const DRAWING_TEST_TIMEOUT_MS = 600_000 * RUNS
