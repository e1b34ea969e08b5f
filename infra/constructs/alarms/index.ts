export { Alarms, type AlarmsProps } from './alarms.ts'
export type { Severity } from './spec.ts'
