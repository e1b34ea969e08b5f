import type {
  CoreEvent,
  EndpointSelector,
  EndpointSlice,
  Endpoints,
  Namespace,
  Node,
  Pod,
  Service,
} from '../endpointslice/index.ts'

/** A kind of object that an API server serves; the type parameter is the object's JSON form. */
export interface Resource<T extends ApiObject = ApiObject> {
  /** API group; empty for the core group. */
  readonly group: string
  readonly version: string
  /** The plural name in URLs, such as `endpointslices`. */
  readonly plural: string
  readonly kind: string
  readonly namespaced: boolean
  /** Carries T; never set. */
  readonly __object?: T
}

/** Fields that every object of the API has; of a remote cluster's objects nothing else is certain. */
export interface ApiObject {
  apiVersion?: string | undefined
  kind?: string | undefined
  // Programs under exactOptionalPropertyTypes read the types of client-node as ones whose metadata may be
  // undefined.
  metadata?:
    | {
        name?: string | undefined
        namespace?: string | undefined
        uid?: string | undefined
        resourceVersion?: string | undefined
      }
    | undefined
}

const resource = <T extends ApiObject>(
  path: string,
  plural: string,
  kind: string,
  namespaced = true,
): Resource<T> => {
  const [group = '', version = ''] = path.includes('/') ? path.split('/') : ['', path]
  return { group, version, plural, kind, namespaced }
}

export const NAMESPACES: Resource<Namespace> = resource('v1', 'namespaces', 'Namespace', false)
export const SERVICES: Resource<Service> = resource('v1', 'services', 'Service')
export const PODS: Resource<Pod> = resource('v1', 'pods', 'Pod')
export const ENDPOINTS: Resource<Endpoints> = resource('v1', 'endpoints', 'Endpoints')
export const NODES: Resource<Node> = resource('v1', 'nodes', 'Node', false)
export const EVENTS: Resource<CoreEvent> = resource('v1', 'events', 'Event')
/**
 * EndpointSelectors of our own CustomResourceDefinition, for API servers that do not serve those of
 * discovery.k8s.io: they would not serve a definition in that group.
 */
export const ENDPOINT_SELECTORS: Resource<EndpointSelector> = resource(
  'sliceflow.dev/v1alpha1',
  'endpointselectors',
  'EndpointSelector',
)
/** EndpointSelectors as KEP-6116, a draft, has them. The one place that names its group and version. */
export const NATIVE_ENDPOINT_SELECTORS: Resource<EndpointSelector> = resource(
  'discovery.k8s.io/v1alpha1',
  'endpointselectors',
  'EndpointSelector',
)
export const ENDPOINT_SLICES: Resource<EndpointSlice> = resource(
  'discovery.k8s.io/v1',
  'endpointslices',
  'EndpointSlice',
)

/** Returns `v1` or `group/version`, as in an object's `apiVersion`. */
export const apiVersionOf = (resource: Resource): string =>
  resource.group === '' ? resource.version : `${resource.group}/${resource.version}`

export interface ObjectRef {
  readonly namespace?: string
  readonly name: string
  /** Subresource, such as `status`. */
  readonly subresource?: string
}

/** What no name is (IsValidPathSegmentName): a proxy would resolve it to the path of another object. */
export const NO_NAME = /^\.{0,2}$|[/%]/

/**
 * Builds the path of a collection (no name) or of one object, each part escaped.
 * @throws Error where a name is none, and the path would lead elsewhere
 */
export function pathOf(resource: Resource, ref: Partial<ObjectRef> = {}): string {
  const parts = resource.group === '' ? ['api', resource.version] : ['apis', resource.group, resource.version]
  if (resource.namespaced && ref.namespace !== undefined) parts.push('namespaces', ref.namespace)
  parts.push(resource.plural)
  if (ref.name !== undefined) parts.push(ref.name)
  if (ref.subresource !== undefined) parts.push(ref.subresource)
  if (parts.some((part) => NO_NAME.test(part)))
    throw new Error(
      `there can be no ${resource.kind} ${JSON.stringify(ref.name)} in namespace ${JSON.stringify(ref.namespace)}`,
    )
  return `/${parts.map(encodeURIComponent).join('/')}`
}
