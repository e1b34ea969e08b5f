export type { BusEvent, EventBus } from './event-bus.ts'
export { createEventBusSink } from './event-bus-sink.ts'
export { createEventBridgeBus } from './eventbridge-event-bus.ts'
export type { ViewEventDetail } from './view-event.ts'
