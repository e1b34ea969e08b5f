import type { DelegatedApis } from '../apiserver/http/discovery/delegated-apis.ts'
import type { ResourceDefinition } from '../apiserver/registry/definition/resource-definition.ts'
import type { Registry } from '../apiserver/registry/registry.ts'
import type { ObjectStore } from '../apiserver/storage/object-store.ts'
import type { Authority } from '../auth/security/certificates.ts'
import type { ContentElsewhere } from '../controllers/namespaces/content-elsewhere.ts'
import { Aggregation } from './aggregation.ts'
import { FRONT_PROXY, publishAuthorities } from './authentication-config-map.ts'
import { AvailabilityController } from './availability/controller.ts'
import { apiServices } from './definition.ts'
import { delegatedContent } from './delegated-content.ts'
import { Delegates } from './delegates.ts'
import { RemoteDiscovery } from './discovery/remote-discovery.ts'
import { AutoRegistration } from './registration/auto-registration.ts'

export interface AggregationStart {
  readonly registry: Registry
  readonly store: ObjectStore
  /** PEM of the authorities whose client certificates count. */
  readonly clientAuthorities: readonly string[]
  readonly onError: (error: unknown) => void
}

/** APIServices, and what serves the APIs that they delegate to other servers. */
export interface ApiServices {
  readonly definition: ResourceDefinition
  /** Begins to register and to delegate; `stop` ends that, and every delegated request. */
  start(options: AggregationStart): {
    readonly delegated: DelegatedApis
    readonly content: ContentElsewhere
    stop(): void
  }
}

/** @param frontProxies certifies this server to the others */
export async function createApiServices(frontProxies: Authority): Promise<ApiServices> {
  const frontProxy = await frontProxies.client(FRONT_PROXY, [])
  return {
    definition: apiServices,
    start: ({ clientAuthorities, ...services }) => {
      const { registry, store, onError } = services
      const registration = new AutoRegistration(services)
      const delegates = new Delegates(store, { objects: registry.objects, frontProxy })
      const availability = new AvailabilityController(services, delegates)
      const remote = new RemoteDiscovery(store, delegates, onError)
      const unpublish = publishAuthorities(services, {
        clients: clientAuthorities,
        frontProxy: frontProxies.certificate,
      })
      // The delegates come first: those that are notified of a changed APIService later find its new server.
      const parts = [delegates, registration, availability, remote]
      for (const part of parts) part.start()
      return {
        delegated: new Aggregation({ registry, store, delegates, remote }),
        content: delegatedContent(delegates, remote),
        stop: () => {
          unpublish()
          for (const part of parts.toReversed()) part.stop()
        },
      }
    },
  }
}
