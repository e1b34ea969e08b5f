export { addressProblem, addressSource, fqdnSource } from './addresses.ts'
export { type ForeignPods, foreignPodSource } from './foreign-pods.ts'
export { ANNOTATION_NETWORK_STATUS, type PodsOnNetwork, podsOnNetwork } from './networks.ts'
export { type EndpointSource, publishedFrom, type SourceEndpoint } from './source.ts'
