import * as z from 'zod/mini'

/** A field that is not as GitHub describes it is as if it were not there, and so is one that is null. */
export const part = <T extends z.ZodMiniType>(schema: T): z.ZodMiniCatch<z.ZodMiniOptional<T>> =>
  z.catch(z.optional(schema), undefined)

export const text = part(z.string())
export const number = part(z.number())

/** The items of a list that are as GitHub describes them. Where one that is not may be the one that matters, `z.array` refuses all. */
export const itemsOf = <T extends object>(schema: z.ZodMiniType<T>) =>
  z.pipe(
    z.array(part(schema)),
    z.transform((items): readonly T[] => items.filter((item) => item !== undefined)),
  )

/**
 * An answer of which nothing is of use if a part that matters is not as GitHub describes it.
 * @throws TypeError if it is not
 */
export function parseAnswer<T>(schema: z.ZodMiniType<T>, answer: unknown): T {
  const parsed = schema.safeParse(answer)
  // zod's own error quotes what it read.
  if (!parsed.success) throw new TypeError('An answer is not as GitHub describes it.')
  return parsed.data
}
