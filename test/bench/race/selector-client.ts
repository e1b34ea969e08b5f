import type { EndpointSelector, Service, ServicePort } from '../../../shared/endpointslice/index.ts'
import {
  type ApiClient,
  type ApiObject,
  ENDPOINT_SELECTORS,
  SERVICES,
} from '../../../shared/kubernetes/index.ts'
import { serviceOf } from '../../support/world/index.ts'

/**
 * Returns a client that writes an EndpointSelector for each Service, with its labels, ports and families, and
 * answers with the Service that has the same endpoints.
 */
export function selectorClient(client: ApiClient): ApiClient {
  const selectors: Pick<ApiClient, 'create' | 'patch' | 'delete'> = {
    async create(resource, object, options) {
      if (!isOfServices(resource)) return client.create(resource, object, options)
      return answer(await client.create(ENDPOINT_SELECTORS, selectorOf(object as Service), options))
    },
    async patch(resource, ref, patch, options) {
      if (!isOfServices(resource)) return client.patch(resource, ref, patch, options)
      return answer(await client.patch(ENDPOINT_SELECTORS, ref, patchOf(patch as Partial<Service>), options))
    },
    delete: (resource, ref, options) =>
      client.delete(isOfServices(resource) ? ENDPOINT_SELECTORS : resource, ref, options),
  }
  return { ...client, ...selectors }
}

const isOfServices = (resource: unknown): boolean => resource === SERVICES
/** The caller asked for a Service. */
const answer = <T extends ApiObject>(selector: EndpointSelector): T => serviceOf(selector) as ApiObject as T

function selectorOf({ metadata, spec = {} }: Service): EndpointSelector {
  const { namespace = '', name = '', labels = {} } = metadata ?? {}
  const families =
    spec.ipFamilyPolicy === 'RequireDualStack' ? ['IPv4', 'IPv6'] : (spec.ipFamilies ?? ['IPv4'])
  return {
    metadata: { namespace, name, labels },
    spec: {
      selector: { matchLabels: { ...spec.selector } },
      ports: portsOf(spec.ports),
      ipFamilies: families,
    },
  }
}

const patchOf = ({ metadata, spec }: Partial<Service>): object => ({
  ...(metadata && { metadata }),
  ...(spec && {
    spec: {
      ...(spec.selector && { selector: { matchLabels: spec.selector } }),
      ...(spec.ports && { ports: portsOf(spec.ports) }),
    },
  }),
})

const portsOf = (ports: readonly ServicePort[] = []): NonNullable<EndpointSelector['spec']['ports']> =>
  ports.map(({ port, nodePort: _, targetPort = port, ...others }) => ({ ...others, targetPort }))
