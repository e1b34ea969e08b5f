export { CONVERSIONS, doubleText, TIME_PARTS } from './conversions.ts'
export { countClauses, refusalOf, replaceClauses, type Verb } from './format-clauses.ts'
export { STRINGS } from './strings.ts'
