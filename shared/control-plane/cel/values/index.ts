export { compare, isEqual, joinUnordered } from './equality.ts'
export { fromJson, toJson } from './json.ts'
export { celName, propertyName } from './names.ts'
export { SchemaList } from './schema-list.ts'
export {
  durationOf,
  durationText,
  inZone,
  parseDuration,
  parseTimestamp,
  timestampOf,
  timestampText,
} from './time.ts'
export {
  CelMap,
  type CelValue,
  Duration,
  isList,
  LiteralMap,
  Opaque,
  Optional,
  sizeOf,
  Timestamp,
  TypeValue,
  typeNameOf,
  Uint,
} from './value.ts'
export { VisitBudget } from './visit-budget.ts'
