/**
 * The part of ASN.1's distinguished encoding rules (ITU-T X.690) that certificates and requests for them are
 * made of. Node reads certificates, but makes none and reads no requests; keys and signatures are Node's in
 * any case. A library for it would be loaded at every start, where the server certifies itself, and takes in
 * what is no DER.
 */
export { bitsOf, childrenOf, type Element, pemBytes, pemOf, readElement } from './read.ts'
export {
  bitString,
  boolean,
  element,
  explicit,
  implicit,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  set,
  time,
  utf8String,
} from './write.ts'
