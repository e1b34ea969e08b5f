export { type FollowOptions, followCluster } from './follow-cluster.ts'
export { createTargetWriter, type WriteTarget } from './write-target.ts'
