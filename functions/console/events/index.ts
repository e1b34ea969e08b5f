export { createRecentEvents } from './recent-events.ts'
