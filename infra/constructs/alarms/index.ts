export { Alarms, type AlarmsProps, createAlertTopic } from './alarms.ts'
export { keyAlarms } from './keys.ts'
export type { AlarmOverride, AlarmOverrides } from './overrides.ts'
export type { Severity } from './spec.ts'
