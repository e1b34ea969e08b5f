import { quoted } from '../../../kubernetes/index.ts'

/** Returns the error of Go's `netip.ParseAddr`; undefined for an address, with a zone or without. */
export function addressProblem(text: string): string | undefined {
  const first = /[.:%]/.exec(text)?.[0]
  if (first === '.') return problemOf4(text)
  if (first === ':') return problemOf6(text)
  return first === '%' ? 'missing IPv6 address' : 'unable to parse IP'
}

const at = (why: string, rest: string): string => `${why} (at ${quoted(rest)})`

function problemOf4(text: string): string | undefined {
  const wrong = /[^0-9.]/.exec(text)
  const read = text.slice(0, wrong?.index)
  const fields = read.split('.')
  let start = 0
  for (const [index, field] of fields.entries()) {
    const problem = problemOfField(field)
    if (problem !== undefined) return problem
    const dot = start + field.length
    if (dot < read.length && (field === '' || dot === text.length - 1))
      return at('IPv4 field must have at least one digit', text.slice(dot))
    if (index === 3 && dot < read.length) return 'IPv4 address too long'
    start = dot + 1
  }
  if (wrong) return at('unexpected character', text.slice(wrong.index))
  return fields.length < 4 ? 'IPv4 address too short' : undefined
}

function problemOfField(field: string): string | undefined {
  if (/^0\d/.test(field)) return 'IPv4 field has octet with leading zero'
  return Number(field) > 255 ? 'IPv4 field has value >255' : undefined
}

interface Reading {
  readonly rest: string
  readonly fields: number
  /** True where `::` stands before. */
  readonly shortened: boolean
}

function problemOf6(whole: string): string | undefined {
  const percent = whole.indexOf('%')
  if (percent >= 0 && percent === whole.length - 1) return 'zone must be a non-empty string'
  const text = percent < 0 ? whole : whole.slice(0, percent)
  const shortened = text.startsWith('::')
  let reading: Reading | string | undefined = { rest: shortened ? text.slice(2) : text, fields: 0, shortened }
  // Each step reads one field; a text is what is wrong, undefined is a whole address.
  while (typeof reading === 'object') reading = afterField(reading)
  return reading
}

/** Returns what is left after one more field of 16 bits, or Go's error. */
function afterField({ rest, fields, shortened }: Reading): Reading | string | undefined {
  if (fields === 8 && rest !== '') return at('trailing garbage after address', rest)
  if (rest === '') return endProblem(fields, shortened)
  const digits = /^[0-9a-fA-F]*/.exec(rest)?.[0] ?? ''
  if (digits.length > 4) return at('each group must have 4 or less digits', rest)
  if (digits === '') return at('each colon-separated field must have at least one digit', rest)
  if (rest[digits.length] === '.') return embeddedProblem(rest, fields, shortened)
  return afterColon({ rest: rest.slice(digits.length), fields: fields + 1, shortened })
}

function afterColon({ rest, fields, shortened }: Reading): Reading | string {
  if (rest === '') return { rest, fields, shortened }
  if (!rest.startsWith(':')) return at('unexpected character, want colon', rest)
  if (rest === ':') return at('colon must be followed by more characters', rest)
  if (!rest.startsWith('::')) return { rest: rest.slice(1), fields, shortened }
  if (shortened) return at('multiple :: in address', rest.slice(1))
  return { rest: rest.slice(2), fields, shortened: true }
}

/** Returns the error of an IPv4 address in the place of the last two fields. */
function embeddedProblem(rest: string, fields: number, shortened: boolean): string | undefined {
  if (!shortened && fields !== 6)
    return at('embedded IPv4 address must replace the final 2 fields of the address', rest)
  if (fields > 6) return at('too many hex fields to fit an embedded IPv4 at the end of the address', rest)
  return problemOf4(rest) ?? endProblem(fields + 2, shortened)
}

function endProblem(fields: number, shortened: boolean): string | undefined {
  if (fields < 8) return shortened ? undefined : 'address string too short'
  return shortened ? 'the :: must expand to at least one field of zeros' : undefined
}
