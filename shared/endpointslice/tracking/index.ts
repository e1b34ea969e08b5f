export { compareVersions, SliceTracker, type SliceTrackerOptions } from './slice-tracker.ts'
export { TriggerTimeTracker } from './trigger-time-tracker.ts'
