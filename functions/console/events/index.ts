export { type ConsoleEvent, createRecentEvents, type RecentEvents } from './recent-events.ts'
