export { allAddresses, readyAddresses, slicesAfter, slicesByName } from './published-addresses.ts'
export { ANNOTATION_PUBLISHED, ourReadyIn, withoutForeign, withRecord } from './published-annotation.ts'
export {
  ANNOTATION_HELD_SINCE,
  ANNOTATION_REPAIRS,
  ANNOTATION_UNVERIFIED_SINCE,
  annotationOf,
  byName,
  earliestTime,
  isAlive,
  isNoted,
  nameOf,
  pastTime,
  timeText,
  withAnnotation,
} from './slice-annotations.ts'
export { sealNotes, withOwnNotes } from './slice-notes.ts'
export { safePart } from './subset-of-writes.ts'
