import {
  CreateServiceCommand,
  paginateListServices,
  ServiceAlreadyExists,
  type ServiceDiscoveryClient,
  type ServiceFilter,
  ServiceNotFound,
} from '@aws-sdk/client-servicediscovery'
import { BoundedCache } from '../../../shared/values/index.ts'

/** Maximum number of cached ids. */
const MAX_KNOWN_SERVICES = 10_000

/** Finds and creates the services of a Cloud Map namespace, and caches their ids. */
export function createCloudMapServices(client: ServiceDiscoveryClient, namespaceId: string) {
  const known = new BoundedCache<string, string>({ maxSize: MAX_KNOWN_SERVICES })
  const making = new Map<string, Promise<string>>()

  function keep(service: string, id: string): string {
    known.set(service, id)
    return id
  }

  async function idOf(service: string, abortSignal: AbortSignal): Promise<string | undefined> {
    const cached = known.get(service)
    if (cached !== undefined) return cached
    const filter: ServiceFilter = { Name: 'NAMESPACE_ID', Values: [namespaceId], Condition: 'EQ' }
    for await (const { Services = [] } of paginateListServices({ client }, { Filters: [filter] })) {
      abortSignal.throwIfAborted()
      for (const { Name, Id } of Services) if (Name !== undefined && Id !== undefined) keep(Name, Id)
      const id = known.get(service)
      if (id !== undefined) return id
    }
    return undefined
  }

  /** Makes the service, once for all instances that wait for it. */
  async function makeService(service: string): Promise<string> {
    const present = known.get(service) ?? making.get(service)
    if (present !== undefined) return present
    const made = createService(service).finally(() => making.delete(service))
    making.set(service, made)
    return made
  }

  async function createService(service: string): Promise<string> {
    try {
      // A namespace with DNS has DNS records in its services otherwise, and refuses one without.
      const command = new CreateServiceCommand({ Name: service, NamespaceId: namespaceId, Type: 'HTTP' })
      return keep(service, (await client.send(command)).Service?.Id ?? '')
    } catch (error) {
      if (error instanceof ServiceAlreadyExists && error.ServiceId !== undefined)
        return keep(service, error.ServiceId)
      throw error
    }
  }

  /** Runs with the service's id; undefined where somebody has deleted the service since its id was learnt. */
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

  return { idOf, makeService, withService }
}
