export { DATE_TIME, dateTime, finite, url, whole } from './formats.ts'
export { didYouMean, nearest } from './nearest.ts'
export { looseObject, object, passedOver, record, strictObject } from './objects.ts'
export { describeIssues, type SchemaIssue, safeParse } from './safe-parse.ts'
