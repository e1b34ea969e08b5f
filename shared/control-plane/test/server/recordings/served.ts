import type { Json } from '../../../../../test/support/raw-client.ts'

/**
 * Groups and core resources of kube-apiserver that no resource set has; `networking.k8s.io` has a part of its
 * own.
 */
const UNSERVED = [
  ...['apps', 'autoscaling', 'batch', 'node.k8s.io', 'policy', 'resource.k8s.io'],
  ...['scheduling.k8s.io', 'storage.k8s.io'],
  ...['bindings', 'componentstatuses', 'limitranges', 'podtemplates', 'replicationcontrollers'],
  ...['persistentvolumeclaims', 'persistentvolumes', 'nodes/proxy', 'services/proxy'],
  ...['attach', 'ephemeralcontainers', 'exec', 'log', 'portforward', 'proxy', 'resize'].map(
    (name) => `pods/${name}`,
  ),
  ...['ingressclasses', 'ingresses', 'networkpolicies'],
]

/** Paths of kube-apiserver's own parts. */
const OWN_PARTS = /^\/(flagz|statusz|debug\/.*)$/

/**
 * Keeps what a list of groups, resources or paths says about what we serve; other bodies stay as they are.
 */
export function onlyServed(body: Json): Json {
  switch (body?.kind) {
    case 'APIGroupList':
      return { ...body, groups: body.groups.filter(({ name }: Json) => served(name)) }
    case 'APIResourceList':
      return { ...body, resources: body.resources.filter(({ name }: Json) => served(name)) }
    case 'APIGroupDiscoveryList':
      return { ...body, items: body.items.filter(({ metadata }: Json) => served(metadata.name)).map(group) }
    default:
      return body?.paths ? { paths: onlyServedPaths(body.paths) } : body
  }
}

function served(name = ''): boolean {
  return !UNSERVED.some((other) => name === other || name.startsWith(`${other}/`))
}

function group(item: Json): Json {
  const versions = item.versions.map((version: Json) => ({
    ...version,
    resources: version.resources.filter(({ resource }: Json) => served(resource)).map(resource),
  }))
  return { ...item, versions }
}

function resource(item: Json): Json {
  if (!item.subresources) return item
  const subresources = item.subresources.filter(({ subresource }: Json) =>
    served(`${item.resource}/${subresource}`),
  )
  const { subresources: _, ...rest } = item
  return subresources.length > 0 ? { ...rest, subresources } : rest
}

/** Keeps the paths that we serve: of `/`, a list, and of `/openapi/v3`, the place of each document. */
function onlyServedPaths(paths: Json): Json {
  const kept = (path: string): boolean => {
    const [, name] = /^\/?apis\/([^/]+)/.exec(path) ?? []
    return served(name) && !OWN_PARTS.test(path)
  }
  if (Array.isArray(paths)) return paths.filter(kept)
  return Object.fromEntries(Object.entries(paths).filter(([path]) => kept(path)))
}
