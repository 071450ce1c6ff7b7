/** The variables of the process, as the runner sets them. */
export type Environment = Readonly<Record<string, string | undefined>>
