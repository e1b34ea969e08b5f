import type { NameRule } from '../../../kubernetes/index.ts'

const LABEL = /^[a-z]([-a-z0-9]*[a-z0-9])?$/
const LABEL_TEXT =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
const LONGEST = 63

/** Checks a DNS label that begins with a letter (RFC 1035). */
export const dns1035Label: NameRule = (value) => [
  ...(Buffer.byteLength(value) > LONGEST ? [`must be no more than ${LONGEST} characters`] : []),
  ...(LABEL.test(value) ? [] : [LABEL_TEXT]),
]

/** Checks a name that needs only be safe within a URL's path (apimachinery's IsValidPathSegmentName). */
export const pathSegmentName: NameRule = (name) => [
  ...(name === '.' || name === '..' ? [`may not be '${name}'`] : []),
  ...['/', '%'].filter((text) => name.includes(text)).map((text) => `may not contain '${text}'`),
]
