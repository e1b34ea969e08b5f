const LABEL = /^[a-z]([-a-z0-9]*[a-z0-9])?$/
const LABEL_TEXT =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
const LONGEST = 63

/** Returns what keeps a text from being a DNS label that begins with a letter (RFC 1035). */
export function dns1035Label(value: string): string[] {
  return [
    ...(Buffer.byteLength(value) > LONGEST ? [`must be no more than ${LONGEST} bytes`] : []),
    ...(LABEL.test(value) ? [] : [LABEL_TEXT]),
  ]
}
