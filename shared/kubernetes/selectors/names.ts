/** Rules for names: each returns what is wrong with a value, in the words of apimachinery. */
export type NameRule = (value: string) => string[]

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const LABEL_PART = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/
const SUBDOMAIN_TEXT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const LABEL_TEXT =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const LABEL_PART_TEXT =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const LABEL_VALUE_TEXT =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
const CONFIG_KEY_TEXT =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"

/** Checks a length. Upstream has two words for the same limit: `characters` in names, `bytes` in labels. */
function atMost(value: string, maximum: number, unit: 'characters' | 'bytes' = 'characters'): string[] {
  return Buffer.byteLength(value) > maximum ? [`must be no more than ${maximum} ${unit}`] : []
}

/** Checks an RFC 1123 subdomain, at most 253 bytes: the names of most objects. */
export const subdomainName: NameRule = (value) => [
  ...atMost(value, 253),
  ...(SUBDOMAIN.test(value) ? [] : [SUBDOMAIN_TEXT]),
]

/** Checks an RFC 1123 label, at most 63 bytes: namespaces, port names of slices. */
export const labelName: NameRule = (value) => {
  if (LABEL.test(value)) return atMost(value, 63)
  return [...atMost(value, 63), SUBDOMAIN.test(value) ? 'must not contain dots' : LABEL_TEXT]
}

/** Checks a label key: an optional DNS prefix, a slash, a name of at most 63 bytes. */
export const labelKey: NameRule = (value) => {
  const parts = value.split('/')
  const name = parts.pop() ?? ''
  if (parts.length > 1) {
    return [
      `a valid label key ${LABEL_PART_TEXT} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ]
  }
  return [...parts.flatMap(prefixErrors), ...namePartErrors(name)]
}

function prefixErrors(prefix: string): string[] {
  const errors =
    prefix === ''
      ? ['must be non-empty']
      : [...atMost(prefix, 253, 'bytes'), ...(SUBDOMAIN.test(prefix) ? [] : [SUBDOMAIN_TEXT])]
  return errors.map((error) => `prefix part ${error}`)
}

function namePartErrors(name: string): string[] {
  const length = name === '' ? ['must be non-empty'] : atMost(name, 63, 'bytes')
  const errors = LABEL_PART.test(name) ? length : [...length, LABEL_PART_TEXT]
  return errors.map((error) => `name part ${error}`)
}

export const labelValue: NameRule = (value) => [
  ...atMost(value, 63, 'bytes'),
  ...(value === '' || LABEL_PART.test(value) ? [] : [LABEL_VALUE_TEXT]),
]

/** Checks the key of a config map's or secret's data. */
export const configKey: NameRule = (value) => {
  if (!/^[-._a-zA-Z0-9]+$/.test(value)) return [...atMost(value, 253), CONFIG_KEY_TEXT]
  if (value === '.') return ["must not be '.'"]
  return value.startsWith('..') ? ["must not be '..'"] : atMost(value, 253)
}

/** Checks an IANA service name, as port names of containers and Services' target ports use it. */
export const portName: NameRule = (value) => [
  ...atMost(value, 15),
  ...(/^[-a-z0-9]+$/.test(value)
    ? []
    : ['must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)']),
  ...(/[a-z]/.test(value) ? [] : ['must contain at least one letter (a-z)']),
  ...(value.includes('--') ? ['must not contain consecutive hyphens'] : []),
  ...(/^-|-$/.test(value) ? ['must not begin or end with a hyphen'] : []),
]
