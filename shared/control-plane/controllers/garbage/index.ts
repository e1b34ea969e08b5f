export { GarbageCollector } from './garbage-collector.ts'
export { ownersOf } from './owner-graph.ts'
