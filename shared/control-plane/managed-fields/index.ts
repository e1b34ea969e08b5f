export { type Tracking, trackedManagers } from './track.ts'
