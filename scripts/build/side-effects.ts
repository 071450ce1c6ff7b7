/** The bundled files, entries apart, that do something when they are imported. */
export const MODULES_WITH_SIDE_EFFECTS: readonly string[] = ['src/http/undici.ts']
