import { isIP } from 'node:net'
import { bytesOfIp } from '../../apimachinery/validation/ip.ts'
import { bitString, boolean, implicit, objectIdentifier, octetString, sequence } from '../der/write.ts'

/** DER of an extension of a certificate (RFC 5280, 4.2). */
export type Extension = Buffer

const SUBJECT_KEY_IDENTIFIER = '2.5.29.14'
const KEY_USAGE = '2.5.29.15'
const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17'
const BASIC_CONSTRAINTS = '2.5.29.19'
const AUTHORITY_KEY_IDENTIFIER = '2.5.29.35'
const EXTENDED_KEY_USAGE = '2.5.29.37'
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1'
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2'
/** The bits 0, digitalSignature, and 5, keyCertSign, the highest first; two are left over. */
const SIGNS_CERTIFICATES = bitString(Buffer.from([0b1000_0100]), 2)

/** Makes the extensions of an authority whose key has this identifier. */
export function authorityExtensions(keyIdentifier: Buffer): Extension[] {
  return [
    extension(BASIC_CONSTRAINTS, sequence(boolean(true)), true),
    extension(KEY_USAGE, SIGNS_CERTIFICATES, true),
    extension(SUBJECT_KEY_IDENTIFIER, octetString(keyIdentifier)),
  ]
}

/** Makes the extension that names the key which has signed a certificate. */
export function authorityKeyExtension(keyIdentifier: Buffer): Extension {
  return extension(AUTHORITY_KEY_IDENTIFIER, sequence(implicit(0, keyIdentifier)))
}

/** Makes the extensions of a server with these host names and addresses. */
export function serverExtensions(hosts: readonly string[]): Extension[] {
  return [
    extension(SUBJECT_ALTERNATIVE_NAME, sequence(...hosts.map(alternativeName))),
    extension(EXTENDED_KEY_USAGE, sequence(objectIdentifier(SERVER_AUTH))),
  ]
}

export function clientExtensions(): Extension[] {
  return [extension(EXTENDED_KEY_USAGE, sequence(objectIdentifier(CLIENT_AUTH)))]
}

function extension(identifier: string, value: Buffer, isCritical = false): Extension {
  return sequence(objectIdentifier(identifier), ...(isCritical ? [boolean(true)] : []), octetString(value))
}

/** Makes a GeneralName: 2 stands for a DNS name, 7 for an address. */
function alternativeName(host: string): Buffer {
  return isIP(host) ? implicit(7, bytesOfIp(host)) : implicit(2, Buffer.from(host, 'latin1'))
}
