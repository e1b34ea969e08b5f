/** Far above our own messages; others' may have megabytes, as a tenant's webhook chooses its refusal. */
const MAX_CHARACTERS = 4_096

/**
 * Makes a text from outside safe to log and store: truncates it and removes secrets. Each pattern takes
 * linear time, as none matches a character again from another start.
 */
export function redactSecrets(text: string): string {
  return cut(text)
    .replace(/[\w.-]+/g, withoutTokens)
    .replace(/\b((?:bearer|basic)\s+)([\w.~+/=-]+)/gi, withoutCredentials)
    .replace(/:\/\/[^/@\s]+@/g, '://[redacted]@')
}

/**
 * Removes tokens from a word: a JWT, or other base64 that begins as JSON does, and an EKS token. Each is
 * removed to the end of its word, even if it was cut.
 */
function withoutTokens(word: string): string {
  const start = word.search(/\beyJ[\w.-]{8}|\bk8s-aws-v1\.[\w-]/)
  return start === -1 ? word : `${word.slice(0, start)}[redacted]`
}

/** Removes the text after `Bearer` or `Basic`, unless it is a plain word: people write of bearer tokens. */
const withoutCredentials = (all: string, scheme: string, word: string): string =>
  /^[A-Za-z]?[a-z.-]{0,15}$/.test(word) ? all : `${scheme}[redacted]`

/** Cuts a long text at a space if there is one: half a secret would not be recognised. */
function cut(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text
  const begin = text.slice(0, MAX_CHARACTERS)
  const end = begin.lastIndexOf(' ')
  return `${end > 0 ? begin.slice(0, end) : begin}…`
}
