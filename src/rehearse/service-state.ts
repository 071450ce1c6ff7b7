import * as z from 'zod/mini'

/** What the post step has to know of the service that the main step started. */
const serviceStateSchema = z.object({
  pid: z.int().check(z.positive()),
  baseUrl: z.url({ protocol: /^http$/ }),
  logFile: z.string().check(z.minLength(1)),
})

export type ServiceState = Readonly<z.infer<typeof serviceStateSchema>>

/** Reads what the main step saved, or undefined if it saved nothing because the service never ran. */
export function parseServiceState(text: string): ServiceState | undefined {
  if (text === '') return undefined
  const result = serviceStateSchema.safeParse(JSON.parse(text))
  return result.success ? result.data : undefined
}
