export { events } from './core-events.ts'
export { eventsOfGroup } from './group-events.ts'
