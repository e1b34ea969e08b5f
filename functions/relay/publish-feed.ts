import { fixedTime, type ServiceKey } from '../../shared/changes/index.ts'
import { type ObjectMeta, SERVICE_OWNER } from '../../shared/endpointslice/index.ts'
import {
  type ApiClient,
  type ApiObject,
  createObjectTable,
  ENDPOINT_SLICES,
  labelName,
  type Resource,
  runWatcher,
  SERVICES,
} from '../../shared/kubernetes/index.ts'
import type { QueueSender } from '../../shared/queue/index.ts'
import type { Log } from '../../shared/telemetry/index.ts'
import { Outbox } from './outbox/outbox.ts'
import { createFailureLog } from './watch/failure-log.ts'

interface ViewPublisherFeedOptions {
  readonly client: ApiClient
  readonly sender: QueueSender
  readonly logger: Log
  /** A key is sent at most once in this time, in milliseconds. */
  readonly windowMs: number
}

export interface PublishFeed {
  /** Ends the watches and sends what waits. Resolves to the number of unsent keys, for the next start. */
  stop(signal: AbortSignal): Promise<number>
}

/**
 * Feeds the view publisher: sends the key of a Service when it or one of its slices changes, under any
 * manager, and every key at the start. Its watches are its own, beside the relay's, which sees
 * managed slices only.
 */
export function startViewPublisherFeed({
  client,
  sender,
  logger,
  windowMs,
}: ViewPublisherFeedOptions): PublishFeed {
  const ending = new AbortController()
  const time = fixedTime(windowMs)
  const outbox = new Outbox({ sender, logger, rules: { processingTime: () => time } })
  const failures = createFailureLog(logger, client.cluster)

  function watch<T extends ApiObject>(
    resource: Resource<T>,
    serviceOf: (object: ApiObject) => string | undefined,
  ): Promise<void> {
    const keys = createViewPublisherKeys(client.cluster, serviceOf)
    const put = (object: T): void => outbox.add(keys.put(object))
    return runWatcher(client, {
      resource,
      signal: ending.signal,
      handler: {
        listing: keys.listing,
        object: put,
        listed: () => outbox.add(keys.listed()),
        changed: put,
        deleted: (object) => outbox.add(keys.remove(object)),
        failed: (error, retryMs) => failures.failed(resource.kind, error, retryMs),
        recovered: () => failures.recovered(resource.kind),
      },
    })
  }

  const watches = [watch(SERVICES, serviceOfService), watch(ENDPOINT_SLICES, serviceOfSlice)]
  return {
    async stop(signal) {
      ending.abort()
      await Promise.all(watches)
      return outbox.drain(signal)
    },
  }
}

/**
 * Index from the objects of one kind of a cluster to their keys; it stores only their names.
 * @param serviceOf the name of the Service that an object belongs to, if it does
 */
export function createViewPublisherKeys(
  cluster: string,
  serviceOf: (object: ApiObject) => string | undefined,
) {
  /** Service names by `namespace/name` of the object. */
  const services = createObjectTable<string>()

  const keyOf = (id: string, service: string | undefined): ServiceKey[] =>
    service === undefined ? [] : [{ cluster, namespace: id.slice(0, id.indexOf('/')), service }]
  const idOf = ({ metadata }: ApiObject): string => `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`

  const forget = (id: string): ServiceKey[] => keyOf(id, services.delete(id))

  return {
    /** Takes a new or changed object. Returns its Service's key, and that of its former Service. */
    put(object: ApiObject): ServiceKey[] {
      const id = idOf(object)
      const service = serviceOf(object)
      const before = services.get(id)
      const left = before === service ? [] : forget(id)
      if (service !== undefined) services.set(id, service)
      return [...left, ...keyOf(id, service)]
    },
    remove(object: ApiObject): ServiceKey[] {
      const known = forget(idOf(object))
      return known.length > 0 ? known : keyOf(idOf(object), serviceOf(object))
    },
    /** Notes that a whole list begins. */
    listing: services.listing,
    /** Notes that the list is complete. Returns the keys of objects that it no longer named. */
    listed: (): ServiceKey[] => services.listed().flatMap(([id, service]) => keyOf(id, service)),
  }
}

export const serviceOfService = ({ metadata }: ApiObject): string | undefined => nameOf(metadata?.name)

export const serviceOfSlice = ({ metadata }: ApiObject): string | undefined =>
  nameOf(SERVICE_OWNER.nameOf({ metadata: metadata as ObjectMeta }))

/** Returns a label's value if it can be a Service's name. */
const nameOf = (value: unknown): string | undefined =>
  typeof value === 'string' && labelName(value).length === 0 ? value : undefined
