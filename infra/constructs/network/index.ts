export { type FunctionNetwork, functionNetwork, reachClusters } from './network.ts'
export { createVpc, FixedEgress } from './vpc.ts'
export { PrivateEndpoints } from './vpc-endpoints.ts'
