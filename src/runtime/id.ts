/** Ids go into paths and outputs. Percent-encoding would leave `..` alone, so nothing else is let through. */
export const ID_PATTERN = /^[A-Za-z0-9_-]{1,128}$/
