/** An element of DER within the bytes that it was read from. */
export interface Element {
  readonly tag: number
  /** All of it, with its tag and length. */
  readonly bytes: Buffer
  readonly content: Buffer
}

/** Four bytes of length are more than any certificate has. */
const LONGEST_LENGTH = 4

/** Reads the first element. Throws a RangeError for bytes that are none or end before it does. */
export function readElement(bytes: Buffer): Element {
  const tag = bytes.readUInt8(0)
  const first = bytes.readUInt8(1)
  const size = first < 0x80 ? 0 : first & 0x7f
  if (first === 0x80 || size > LONGEST_LENGTH)
    throw new RangeError('failed to read DER: a length is too long')
  const length = size === 0 ? first : bytes.readUIntBE(2, size)
  const start = 2 + size
  if (start + length > bytes.length) throw new RangeError('failed to read DER: it ends within an element')
  return { tag, bytes: bytes.subarray(0, start + length), content: bytes.subarray(start, start + length) }
}

/** The elements that an element consists of. */
export function childrenOf({ content }: Element): Element[] {
  const children: Element[] = []
  for (let rest = content; rest.length > 0; ) {
    const child = readElement(rest)
    children.push(child)
    rest = rest.subarray(child.bytes.length)
  }
  return children
}

/** The bytes of the first block of a type in a PEM text; undefined where there is none. */
export function pemBytes(pem: string, type: string): Buffer | undefined {
  const body = new RegExp(`-----BEGIN ${type}-----([A-Za-z0-9+/=\\s]*)-----END ${type}-----`).exec(pem)?.[1]
  return body === undefined ? undefined : Buffer.from(body, 'base64')
}

/** A PEM block of these bytes. */
export function pemOf(bytes: Buffer, type: string): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN ${type}-----\n${lines.join('\n')}\n-----END ${type}-----\n`
}
