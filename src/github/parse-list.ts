import * as z from 'zod/mini'
import { PAGE_SIZE } from './read-pages.ts'

/** A field that is not as GitHub describes it is as if it were not there, and so is one that is null. */
export const part = <T extends z.ZodMiniType>(schema: T): z.ZodMiniCatch<z.ZodMiniOptional<T>> =>
  z.catch(z.optional(schema), undefined)

export const text = part(z.string())
export const number = part(z.number())

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

/** The items of a list that are what GitHub describes. */
export function parseItems<T>(schema: z.ZodMiniType<T>, list: unknown): readonly T[] {
  if (!(list instanceof Array)) throw new TypeError('A page is no list.')
  return list.flatMap((item) => {
    const parsed = schema.safeParse(item)
    return parsed.success ? [parsed.data] : []
  })
}

/** The first page of a list, and what is known of the rest. */
export interface Listed<T> {
  readonly items: readonly T[]
  /** How many more GitHub counts. What is on the page and cannot be read is one of these. */
  readonly missing: number
  /** Whether there may be another page. */
  readonly isFull: boolean
}

interface PageAnswer {
  readonly data: unknown
  readonly headers: { readonly link?: string | undefined }
}

/**
 * @param name of the list in the answer, which stands beside how many GitHub counts
 * @throws TypeError if there is no list
 */
export function parsePage<T>(schema: z.ZodMiniType<T>, { data, headers }: PageAnswer, name: string): Listed<T> {
  const { [name]: page, total_count: total } = data as Readonly<Record<string, unknown>>
  const items = parseItems(schema, page)
  const { length } = page as readonly unknown[]
  const isFull = length >= PAGE_SIZE || /\brel="next"/.test(headers.link ?? '')
  // Without a count, there is at least one more where there may be another page.
  const counted = typeof total === 'number' ? total : length + (isFull ? 1 : 0)
  return { items, missing: Math.max(counted, length) - items.length, isFull }
}
