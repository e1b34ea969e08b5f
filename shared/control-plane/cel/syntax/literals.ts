const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '`': '`',
  '?': '?',
}
const ESCAPE = /\\(x[0-9a-fA-F]{2}|X[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2}|[\s\S])/g

interface Style {
  readonly raw: boolean
  readonly bytes: boolean
}

/** Returns the value of a quoted literal; undefined if it has an invalid escape. */
export function unquote(quoted: string, { raw, bytes }: Style): string | Uint8Array | undefined {
  const width = quoted.startsWith('"""') || quoted.startsWith("'''") ? 3 : 1
  const body = quoted.slice(width, -width).replaceAll('\r\n', '\n')
  if (bytes) return raw ? Buffer.from(body) : bytesOf(body)
  return raw ? body : textOf(body)
}

function textOf(body: string): string | undefined {
  let valid = true
  const text = body.replace(ESCAPE, (_, sequence: string) => {
    const point = pointOf(sequence)
    const isCharacter = point !== undefined && point <= 0x10ffff && !(point >= 0xd800 && point < 0xe000)
    if (isCharacter) return String.fromCodePoint(point)
    const simple = ESCAPES[sequence]
    valid &&= simple !== undefined
    return simple ?? ''
  })
  return valid ? text : undefined
}

/** Returns the bytes of a literal. `\xff` and `\377` are one byte each; `\u` is not allowed. */
function bytesOf(body: string): Uint8Array | undefined {
  const parts: Buffer[] = []
  let last = 0
  for (const match of body.matchAll(ESCAPE)) {
    const [whole, sequence = ''] = match
    const byte = /^[xX0-3]/.test(sequence) ? pointOf(sequence) : undefined
    const simple = ESCAPES[sequence]
    if (byte === undefined && simple === undefined) return undefined
    parts.push(
      Buffer.from(body.slice(last, match.index)),
      byte === undefined ? Buffer.from(simple ?? '') : Buffer.of(byte),
    )
    last = match.index + whole.length
  }
  return Buffer.concat([...parts, Buffer.from(body.slice(last))])
}

function pointOf(sequence: string): number | undefined {
  if (/^[xXuU]./.test(sequence)) return Number.parseInt(sequence.slice(1), 16)
  return /^[0-3][0-7]{2}$/.test(sequence) ? Number.parseInt(sequence, 8) : undefined
}
