export { childrenOf, type Element, pemBytes, pemOf, readElement } from './read.ts'
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
