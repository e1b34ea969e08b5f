export { ClusterLanes } from './cluster-lanes.ts'
export { Lanes } from './lanes.ts'
export { Outbox } from './outbox.ts'
