import { objectIdentifier, sequence, set, utf8String } from '../der/index.ts'

const ATTRIBUTES = { organization: '2.5.4.10', commonName: '2.5.4.3' } as const

/** One attribute of a name. */
export type NamePart = readonly [attribute: keyof typeof ATTRIBUTES, value: string]

/** Makes the DER of a distinguished name, from the general to the particular (RFC 5280, 4.1.2.4). */
export function nameOf(parts: readonly NamePart[]): Buffer {
  return sequence(
    ...parts.map(([attribute, value]) =>
      set(sequence(objectIdentifier(ATTRIBUTES[attribute]), utf8String(value))),
    ),
  )
}
