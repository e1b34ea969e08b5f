export { type BusEvent, createEventBridgeBus, type EventBus } from './event-bus.ts'
export { createEventBusSink } from './event-bus-sink.ts'
export type { ViewEventDetail } from './view-event.ts'
