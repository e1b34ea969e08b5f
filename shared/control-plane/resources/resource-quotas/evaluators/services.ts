import { numberAt, objectAt, objectsAt } from '../../../apimachinery/json/index.ts'
import type { KubeObject } from '../../../apimachinery/objects.ts'
import { Quantity } from '../../../apimachinery/quantity/index.ts'
import type { Evaluator } from './evaluator.ts'

const NAMES = ['count/services', 'services', 'services.loadbalancers', 'services.nodeports']

/** Services also use node ports and load balancers (upstream: pkg/quota/v1/evaluator/core/services.go). */
export const serviceEvaluator: Evaluator = {
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
