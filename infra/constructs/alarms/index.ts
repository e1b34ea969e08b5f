export { Alarms, type AlarmsProps } from './alarms.ts'
export type { AlarmOverride, AlarmOverrides } from './overrides.ts'
export type { Severity } from './spec.ts'
