export {
  type CloudMapRegistryOptions,
  type CloudMapSinkOptions,
  createCloudMapRegistry,
  createCloudMapSink,
  createMemoryRegistry,
  type Instance,
  type InstanceRegistry,
} from './cloud-map/index.ts'
export {
  type BusEvent,
  type BusFailure,
  createEventBridgeBus,
  createEventBusSink,
  createMemoryEventBus,
  type EventBus,
  type EventBusSinkOptions,
  type MemoryEventBus,
  type ViewEventDetail,
} from './event-bus/index.ts'
export { createViewPublisherHandler, type ViewPublisherHandlerOptions } from './handler.ts'
export {
  createPublisher,
  OvertakenError,
  type Publish,
  type PublisherOptions,
  type PublishOutcome,
} from './publisher.ts'
export { createServiceReader, type ReadService } from './service-reader.ts'
export { ServiceSpecError } from './service-spec.ts'
export { type Delivery, type Sink, SinkError } from './sink.ts'
export {
  createDynamoDbPublicationStore,
  createMemoryPublicationStore,
  type DynamoDbStoreOptions,
  type Publication,
  type PublicationStore,
} from './store/index.ts'
export { SweepError, type SweepOptions, sweepPublications } from './sweep.ts'
