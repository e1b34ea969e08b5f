/** The few forms of DER (ITU-T X.690) that a certificate is made of. */
export const tag = (number: number, ...parts: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([number]), length(content.length), content])
}

function length(size: number): Buffer {
  if (size < 0x80) return Buffer.from([size])
  const digits: number[] = []
  for (let rest = size; rest > 0; rest = Math.floor(rest / 256)) digits.unshift(rest % 256)
  return Buffer.from([0x80 | digits.length, ...digits])
}

export const sequence = (...parts: readonly Buffer[]): Buffer => tag(0x30, ...parts)
export const set = (...parts: readonly Buffer[]): Buffer => tag(0x31, ...parts)
/** @param tagNumber below 31 */
export const explicit = (tagNumber: number, content: Buffer): Buffer => tag(0xa0 | tagNumber, content)
/** @param bytes big-endian; taken as positive */
export const integer = (bytes: Buffer): Buffer =>
  (bytes[0] ?? 0) >= 0x80 ? tag(0x02, Buffer.from([0]), bytes) : tag(0x02, bytes)
export const bitString = (bytes: Buffer): Buffer => tag(0x03, Buffer.from([0]), bytes)
export const octetString = (bytes: Buffer): Buffer => tag(0x04, bytes)
export const text = (value: string): Buffer => tag(0x0c, Buffer.from(value, 'utf8'))
export const yes = (): Buffer => tag(0x01, Buffer.from([0xff]))

/** UTCTime, which RFC 5280 asks for until 2049. */
export const time = (date: Date): Buffer =>
  tag(0x17, Buffer.from(`${date.toISOString().slice(2, 19).replace(/[-:T]/g, '')}Z`, 'ascii'))

/** @param dotted such as `2.5.4.3` */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...others] = dotted.split('.').map(Number)
  return tag(0x06, Buffer.from([first * 40 + second, ...others.flatMap(base128)]))
}

function base128(value: number): number[] {
  const digits = [value & 0x7f]
  for (let rest = value >> 7; rest > 0; rest >>= 7) digits.unshift((rest & 0x7f) | 0x80)
  return digits
}
