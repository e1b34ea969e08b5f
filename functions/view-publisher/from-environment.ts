import { resolve } from 'node:path'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { EventBridgeClient } from '@aws-sdk/client-eventbridge'
import { ServiceDiscoveryClient } from '@aws-sdk/client-servicediscovery'
import type { Context, ScheduledHandler, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { awsClientOptions } from '../../shared/proxy/index.ts'
import { functionCallLimits, UnknownClusterError } from '../../shared/reconciler/index.ts'
import { workingTime } from '../../shared/values/index.ts'
import { loadSpecFile } from '../../shared/views/index.ts'
import {
  createInvocation,
  type DeployedOptions,
  openDeployedFunction,
  openDeployedLog,
  openDeployedQueues,
  readViewPublisherUrls,
} from '../environment/index.ts'
import { createCloudMapRegistry } from './cloud-map/cloud-map-registry.ts'
import { createCloudMapSink } from './cloud-map/cloud-map-sink.ts'
import { readViewPublisherEnvironment, type ViewPublisherEnvironment } from './environment.ts'
import { createEventBridgeBus } from './event-bus/event-bus.ts'
import { createEventBusSink } from './event-bus/event-bus-sink.ts'
import { createViewPublisherHandler } from './handler.ts'
import { createPublisher } from './publisher.ts'
import { createServiceReader } from './service-reader.ts'
import type { Sink } from './sink.ts'
import { createDynamoDbPublicationStore } from './store/dynamodb-store.ts'
import { sweepPublications } from './sweep.ts'

/** Options common to the SDK's clients; everything else comes from the environment. */
type ClientOptions = Pick<
  NonNullable<ConstructorParameters<typeof DynamoDBClient>[0]>,
  'endpoint' | 'region' | 'credentials' | 'requestHandler'
>

interface DeployedViewPublisherOptions extends DeployedOptions {
  /** Options for DynamoDB, EventBridge and Cloud Map; default: from the environment. */
  readonly clientOptions?: ClientOptions
}

export type DeployedViewPublisherHandler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>

/**
 * Creates the view publisher as it is deployed, on its own queue.
 * @throws EnvironmentError, SpecError or ServiceSpecError, naming what is missing or wrong
 */
export async function createDeployedViewPublisher({
  clientOptions = awsClientOptions(),
  ...options
}: DeployedViewPublisherOptions): Promise<DeployedViewPublisherHandler> {
  const { environment } = options
  const { invocation, logger, settings, clusters } = openDeployedFunction(options, functionCallLimits)
  const { keysPerCluster, maxReceiveCount } = settings
  const viewPublisher = readViewPublisherEnvironment(environment)
  const urls = readViewPublisherUrls(environment)
  const queues = openDeployedQueues(logger)
  const spec = await loadSpecFile(
    resolve(environment.LAMBDA_TASK_ROOT ?? '', viewPublisher.spec),
    viewPublisher.operator === undefined ? {} : { name: viewPublisher.operator },
  )
  const read = createServiceReader(async (cluster) => {
    await clusters.meet(cluster)
    const client = clusters.find(cluster)
    if (client !== undefined) return client
    throw UnknownClusterError.among(clusters.names(), cluster)
  })
  const store = openStore(viewPublisher, clientOptions)
  const sinks = openSinks(viewPublisher, clientOptions)
  const handler = createViewPublisherHandler({
    publisher: createPublisher({ spec, read, store, sinks, logger }),
    deadLetters: queues.deadLetters(urls),
    visibility: queues.received(urls),
    logger,
    settings: { concurrencyPerCluster: keysPerCluster, maxReceiveCount },
  })
  return async (event, context) => {
    invocation.began(context)
    return handler(event, context)
  }
}

/** Creates the sweep of publications as it is deployed, on a schedule. @throws EnvironmentError */
export function createDeployedViewPublisherSweep({
  environment,
  clientOptions = awsClientOptions(),
  write,
}: Omit<DeployedViewPublisherOptions, 'aws'>): ScheduledHandler {
  const invocation = createInvocation(environment)
  const logger = openDeployedLog(environment, { fields: invocation.fields, write })
  const store = openStore(readViewPublisherEnvironment(environment), clientOptions)
  const sender = openDeployedQueues(logger).sender(readViewPublisherUrls(environment).queue)
  return async (_, context) => {
    invocation.began(context)
    await sweepPublications({ store, sender, logger, signal: workingTime(context) })
  }
}

const openStore = ({ table }: ViewPublisherEnvironment, options: ClientOptions) =>
  createDynamoDbPublicationStore({ client: new DynamoDBClient(options), tableName: table })

/** Opens the sinks. A sink of your own is one more line here; see `Sink`. */
function openSinks(
  { eventBus, cloudMapNamespace }: ViewPublisherEnvironment,
  options: ClientOptions,
): Sink[] {
  const sinks: Sink[] = []
  if (eventBus !== undefined) {
    const bus = createEventBridgeBus(new EventBridgeClient(options), eventBus)
    sinks.push(createEventBusSink({ bus }))
  }
  if (cloudMapNamespace !== undefined) {
    const client = new ServiceDiscoveryClient(options)
    sinks.push(
      createCloudMapSink({ registry: createCloudMapRegistry({ client, namespaceId: cloudMapNamespace }) }),
    )
  }
  return sinks
}
