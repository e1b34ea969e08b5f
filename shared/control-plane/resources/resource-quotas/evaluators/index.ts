import { numberAt, objectAt, objectsAt } from '../../../apimachinery/json/values.ts'
import type { KubeObject } from '../../../apimachinery/objects.ts'
import { Quantity } from '../../../apimachinery/quantity/quantity.ts'
import type { Evaluator } from './evaluator.ts'
import { podEvaluator } from './pods.ts'

const NAMES = ['count/services', 'services', 'services.loadbalancers', 'services.nodeports']

/** Services also use node ports and load balancers (upstream: pkg/quota/v1/evaluator/core/services.go). */
const serviceEvaluator: Evaluator = {
  matching: (wanted) => [...new Set(wanted)].filter((name) => NAMES.includes(name)).sort(),
  handles: ({ operation, subresource }) =>
    (operation === 'CREATE' || operation === 'UPDATE') && subresource === '',
  constraint: () => undefined,
  usage: (service) =>
    new Map([
      ['count/services', Quantity.of(1)],
      ['services', Quantity.of(1)],
      ['services.loadbalancers', Quantity.of(objectAt(service, 'spec').type === 'LoadBalancer' ? 1 : 0)],
      ['services.nodeports', Quantity.of(nodePorts(service))],
    ]),
  inScope: () => false,
}

function nodePorts(service: KubeObject): number {
  const spec = objectAt(service, 'spec')
  const ports = objectsAt(spec, 'ports')
  if (spec.type === 'NodePort') return ports.length
  if (spec.type !== 'LoadBalancer') return 0
  return spec.allocateLoadBalancerNodePorts === false
    ? ports.filter((port) => (numberAt(port, 'nodePort') ?? 0) !== 0).length
    : ports.length
}

/** Names that are older than `count/…`. */
const ALIASES: ReadonlySet<string> = new Set([
  'configmaps',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
])

/** Counts objects of any resource, named as `configmaps` or `databases.example.org`. */
function objectCount(resource: string): Evaluator {
  const names = [`count/${resource}`, ...(ALIASES.has(resource) ? [resource] : [])]
  return {
    uniform: true,
    matching: (wanted) => [...new Set(wanted)].filter((name) => names.includes(name)).sort(),
    handles: ({ operation, subresource }) => operation === 'CREATE' && subresource === '',
    constraint: () => undefined,
    usage: () => new Map(names.map((name) => [name, Quantity.of(1)])),
    inScope: () => false,
  }
}

export type { Evaluator } from './evaluator.ts'

/** Returns a resource's evaluator (`pods`, `databases.example.org`), if any quota counts it. */
export function evaluatorOf(resource: string): Evaluator | undefined {
  switch (resource) {
    case 'events':
    case 'events.events.k8s.io':
    case 'localsubjectaccessreviews.authorization.k8s.io':
      return undefined
    case 'pods':
      return podEvaluator
    case 'services':
      return serviceEvaluator
    default:
      return objectCount(resource)
  }
}
