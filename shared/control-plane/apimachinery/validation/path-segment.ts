import type { NameRule } from '../../../kubernetes/index.ts'

/** Names that need only be safe within a URL's path (apimachinery's IsValidPathSegmentName). */
export const pathSegmentName: NameRule = (name) => [
  ...(name === '.' || name === '..' ? [`may not be '${name}'`] : []),
  ...['/', '%'].filter((text) => name.includes(text)).map((text) => `may not contain '${text}'`),
]
