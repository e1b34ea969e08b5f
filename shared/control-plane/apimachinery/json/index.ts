export {
  integerOf,
  type JsonObject,
  type JsonValue,
  jsonText,
  mayLoseDigits,
  numberOf,
  overflowError,
  parseJson,
} from './exact-numbers.ts'
export { goJsonError } from './go-json-error.ts'
export { goFloat, goNumber } from './go-number.ts'
export { nestingOf } from './nesting.ts'
export { jsonOrThrow, syntaxOrThrow } from './sent-json.ts'
export {
  identityOf,
  integerAt,
  isInteger,
  isNumber,
  isObject,
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  ownMember,
  sameJson,
  setMember,
  sortedMembers,
  stringAt,
  stringsAt,
} from './values.ts'
