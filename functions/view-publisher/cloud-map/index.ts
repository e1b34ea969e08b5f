export { type CloudMapRegistryOptions, createCloudMapRegistry } from './cloud-map-registry.ts'
export { type CloudMapSinkOptions, createCloudMapSink } from './cloud-map-sink.ts'
export type { Instance, InstanceRegistry } from './instance-registry.ts'
export { createMemoryRegistry } from './memory-registry.ts'
export {
  ATTRIBUTE_CLUSTER,
  ATTRIBUTE_SERVICE,
  ATTRIBUTE_VIEW,
  cloudMapServiceOf,
  instancesOf,
} from './view-instances.ts'
