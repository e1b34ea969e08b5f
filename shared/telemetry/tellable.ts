/**
 * Far above what our own messages have; others' may have megabytes, as a tenant's webhook chooses the text of
 * a refusal.
 */
const MOST_CHARACTERS = 4_096

/**
 * A text of others, fit to be logged and kept: of its beginning what is no secret. Each pattern takes a time
 * that grows with the text and no faster, as none looks at a character again from another start.
 */
export function tellable(text: string): string {
  return cut(text)
    .replace(/[\w.-]+/g, withoutTokens)
    .replace(/\b((?:bearer|basic)\s+)([\w.~+/=-]+)/gi, withoutCredentials)
    .replace(/:\/\/[^/@\s]+@/g, '://[redacted]@')
}

/**
 * A JWT, or what else begins as JSON in base64 does, and an EKS token: each to the end of its word, be it
 * cut.
 */
function withoutTokens(word: string): string {
  const start = word.search(/\beyJ[\w.-]{8}|\bk8s-aws-v1\.[\w-]/)
  return start === -1 ? word : `${word.slice(0, start)}[redacted]`
}

/** What follows `Bearer` or `Basic`, unless it is a plain word: people write of bearer tokens. */
const withoutCredentials = (all: string, scheme: string, word: string): string =>
  /^[A-Za-z]?[a-z.-]{0,15}$/.test(word) ? all : `${scheme}[redacted]`

/** At a space where there is one: half a secret is not known for one. */
function cut(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text
  const begin = text.slice(0, MOST_CHARACTERS)
  const end = begin.lastIndexOf(' ')
  return `${end > 0 ? begin.slice(0, end) : begin}…`
}
