export { createCloudMapRegistry } from './cloud-map-registry.ts'
export { createCloudMapSink } from './cloud-map-sink.ts'
export type { Instance, InstanceRegistry } from './instance-registry.ts'
export { ATTRIBUTE_VIEW, instancesOf } from './view-instances.ts'
