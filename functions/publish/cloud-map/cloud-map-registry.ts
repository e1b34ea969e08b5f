import {
  CreateServiceCommand,
  DeregisterInstanceCommand,
  GetOperationCommand,
  InstanceNotFound,
  OperationNotFound,
  paginateListInstances,
  paginateListServices,
  RegisterInstanceCommand,
  ServiceAlreadyExists,
  type ServiceDiscoveryClient,
  type ServiceFilter,
  ServiceNotFound,
} from '@aws-sdk/client-servicediscovery'
import { type Backoff, backoffDelay, sleepUnlessAborted } from '../../../shared/kubernetes/index.ts'
import { SinkError } from '../sink.ts'
import type { Instance, InstanceRegistry } from './instance-registry.ts'

export interface CloudMapRegistryOptions {
  readonly client: ServiceDiscoveryClient
  /** Id of the Cloud Map namespace (`ns-…`). */
  readonly namespaceId: string
  /** Between looks at an operation that runs; default 50 ms doubling to 2 s. */
  readonly backoff?: Backoff
}

const OPERATION_BACKOFF: Backoff = { baseMs: 50, capMs: 2_000 }
/** Ids of services that are kept; the oldest is looked up again. */
const MAX_KNOWN_SERVICES = 10_000

/** The services of a Cloud Map namespace. A service that is missing is made without DNS records, for DiscoverInstances. */
export function createCloudMapRegistry({
  client,
  namespaceId,
  backoff = OPERATION_BACKOFF,
}: CloudMapRegistryOptions): InstanceRegistry {
  const known = new Map<string, string>()
  const making = new Map<string, Promise<string>>()

  function keep(service: string, id: string): string {
    const [oldest] = known.keys()
    if (known.size >= MAX_KNOWN_SERVICES && oldest !== undefined) known.delete(oldest)
    known.set(service, id)
    return id
  }

  async function idOf(service: string, abortSignal: AbortSignal): Promise<string | undefined> {
    const cached = known.get(service)
    if (cached !== undefined) return cached
    const filter: ServiceFilter = { Name: 'NAMESPACE_ID', Values: [namespaceId], Condition: 'EQ' }
    for await (const { Services = [] } of paginateListServices({ client }, { Filters: [filter] })) {
      abortSignal.throwIfAborted()
      const id = Services.find(({ Name }) => Name === service)?.Id
      if (id !== undefined) return keep(service, id)
    }
    return undefined
  }

  /** Once for all instances that wait for it. */
  async function makeService(service: string): Promise<string> {
    const present = known.get(service) ?? making.get(service)
    if (present !== undefined) return present
    const made = createService(service).finally(() => making.delete(service))
    making.set(service, made)
    return made
  }

  async function createService(service: string): Promise<string> {
    try {
      const command = new CreateServiceCommand({ Name: service, NamespaceId: namespaceId })
      return keep(service, (await client.send(command)).Service?.Id ?? '')
    } catch (error) {
      if (error instanceof ServiceAlreadyExists && error.ServiceId !== undefined)
        return keep(service, error.ServiceId)
      throw error
    }
  }

  /** Runs with the service's id; once more where somebody has deleted the service since its id was learnt. */
  async function withService<T>(
    id: string,
    service: string,
    call: (id: string) => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await call(id)
    } catch (error) {
      if (!(error instanceof ServiceNotFound)) throw error
      known.delete(service)
      return undefined
    }
  }

  /** Registering and deregistering go on after they are answered. */
  async function untilDone(operation: string | undefined, what: string, signal: AbortSignal): Promise<void> {
    if (operation === undefined) return
    for (let attempt = 0; ; attempt++) {
      const { status, error } = await stateOf(operation, signal)
      if (status === 'SUCCESS') return
      if (status === 'FAIL') throw new SinkError(`failed to ${what}: ${error}`)
      await sleepUnlessAborted(backoffDelay(attempt, backoff), signal)
      signal.throwIfAborted()
    }
  }

  async function stateOf(OperationId: string, abortSignal: AbortSignal) {
    try {
      const { Operation } = await client.send(new GetOperationCommand({ OperationId }), { abortSignal })
      return { status: Operation?.Status, error: Operation?.ErrorMessage }
    } catch (error) {
      // Operations are forgotten some time after they have ended.
      if (error instanceof OperationNotFound) return { status: 'SUCCESS', error: undefined } as const
      throw error
    }
  }

  return {
    name: namespaceId,
    async list(service, signal) {
      const id = await idOf(service, signal)
      if (id === undefined) return []
      const found = await withService(id, service, async (ServiceId) => {
        const instances: Instance[] = []
        for await (const { Instances = [] } of paginateListInstances({ client }, { ServiceId })) {
          signal.throwIfAborted()
          for (const { Id = '', Attributes = {} } of Instances)
            instances.push({ id: Id, attributes: Attributes })
        }
        return instances
      })
      return found ?? []
    },
    async register(service, { id: InstanceId, attributes }, signal) {
      const what = `register instance ${InstanceId} of ${service} in Cloud Map namespace ${namespaceId}`
      const register = async (ServiceId: string): Promise<true> => {
        const command = new RegisterInstanceCommand({ ServiceId, InstanceId, Attributes: { ...attributes } })
        const { OperationId } = await client.send(command, { abortSignal: signal })
        await untilDone(OperationId, what, signal)
        return true
      }
      signal.throwIfAborted()
      const id = (await idOf(service, signal)) ?? (await makeService(service))
      if (await withService(id, service, register)) return
      await register(await makeService(service))
    },
    async deregister(service, InstanceId, signal) {
      const what = `deregister instance ${InstanceId} of ${service} in Cloud Map namespace ${namespaceId}`
      const id = await idOf(service, signal)
      if (id === undefined) return
      await withService(id, service, async (ServiceId) => {
        try {
          const command = new DeregisterInstanceCommand({ ServiceId, InstanceId })
          const { OperationId } = await client.send(command, { abortSignal: signal })
          await untilDone(OperationId, what, signal)
        } catch (error) {
          if (!(error instanceof InstanceNotFound)) throw error
        }
      })
    },
  }
}
