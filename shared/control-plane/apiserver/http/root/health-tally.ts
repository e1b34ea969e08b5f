import type { Metric, Sample } from '../metrics/exposition.ts'

/**
 * Names of the hooks that kube-apiserver has run once it has started, in its order. Probes ask for some of
 * them by name, or exclude them. Here all is done before the first answer.
 */
export const START_HOOKS: readonly string[] = [
  'poststarthook/start-apiserver-admission-initializer',
  'poststarthook/generic-apiserver-start-informers',
  'poststarthook/priority-and-fairness-config-consumer',
  'poststarthook/priority-and-fairness-filter',
  'poststarthook/storage-object-count-tracker-hook',
  'poststarthook/start-apiextensions-informers',
  'poststarthook/start-apiextensions-controllers',
  'poststarthook/crd-informer-synced',
  'poststarthook/start-system-namespaces-controller',
  'poststarthook/peer-endpoint-reconciler-controller',
  'poststarthook/start-cluster-authentication-info-controller',
  'poststarthook/start-kube-apiserver-identity-lease-controller',
  'poststarthook/start-kube-apiserver-identity-lease-garbage-collector',
  'poststarthook/storage-readiness',
  'poststarthook/start-legacy-token-tracking-controller',
  'poststarthook/start-service-ip-repair-controllers',
  'poststarthook/rbac/bootstrap-roles',
  'poststarthook/scheduling/bootstrap-system-priority-classes',
  'poststarthook/priority-and-fairness-config-producer',
  'poststarthook/bootstrap-controller',
  'poststarthook/start-kubernetes-service-cidr-controller',
  'poststarthook/aggregator-reload-proxy-client-cert',
  'poststarthook/start-kube-aggregator-informers',
  'poststarthook/apiservice-status-local-available-controller',
  'poststarthook/apiservice-status-remote-available-controller',
  'poststarthook/apiservice-registration-controller',
  'poststarthook/apiservice-discovery-controller',
  'poststarthook/kube-apiserver-autoregistration',
  'autoregister-completion',
  'poststarthook/apiservice-openapi-controller',
  'poststarthook/apiservice-openapiv3-controller',
]

interface Tally {
  readonly name: string
  readonly type: string
  success: number
  error: number
  isWell: boolean
}

/** Counts how often each health check was asked, and its results: component SLIs (KEP-3466). */
export class HealthTally {
  readonly #tallies = new Map<string, Tally>()

  /** @param type the endpoint that asked, as `readyz` */
  add(type: string, name: string, isWell: boolean): void {
    const key = `${name} ${type}`
    const tally = this.#tallies.get(key) ?? { name, type, success: 0, error: 0, isWell }
    tally[isWell ? 'success' : 'error']++
    tally.isWell = isWell
    this.#tallies.set(key, tally)
  }

  get metrics(): Metric[] {
    const tallies = [...this.#tallies].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, tally]) => tally)
    return [
      {
        name: 'kubernetes_healthcheck',
        help: '[STABLE] What a health check said last: 1 that all is well.',
        type: 'gauge',
        samples: tallies.map(({ name, type, isWell }) => ({ labels: { name, type }, value: isWell ? 1 : 0 })),
      },
      {
        name: 'kubernetes_healthchecks_total',
        help: '[STABLE] How often a health check was asked, by what it said.',
        type: 'counter',
        samples: tallies.flatMap(countsOf),
      },
    ]
  }
}

function countsOf({ name, type, ...counts }: Tally): Sample[] {
  return (['error', 'success'] as const)
    .filter((status) => counts[status] > 0)
    .map((status) => ({ labels: { name, status, type }, value: counts[status] }))
}
