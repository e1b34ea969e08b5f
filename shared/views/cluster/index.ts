export { type FollowOptions, followCluster } from './follow-cluster.ts'
export { resourceOf } from './resource-of.ts'
export { writeTarget } from './write-target.ts'
