import type { Service } from '../../endpointslice/index.ts'
import {
  type ClusterExport,
  type Merge,
  mergeExports,
  type ServiceExport,
  type WantedCondition,
} from '../index.ts'

export type ServiceSpec = NonNullable<Service['spec']>

interface ExportParts {
  /** Minutes after the first export that it was made. */
  minute?: number
  service?: ServiceSpec | 'none'
  spec?: ServiceExport['spec']
  annotations?: Record<string, string>
}

/** Makes an export of `shop/web` with one port, `http` 80. */
export function anExport(
  cluster: string,
  { minute = 0, service = {}, spec, annotations }: ExportParts = {},
): ClusterExport {
  return {
    cluster,
    export: {
      metadata: {
        ...{ namespace: 'shop', name: 'web', creationTimestamp: minuteOf(minute) },
        ...(annotations && { annotations }),
      },
      ...(spec && { spec }),
    },
    service: service === 'none' ? undefined : aService(service),
  }
}

export const minuteOf = (minute: number): string =>
  new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString().replace('.000', '')

export const aService = (spec: ServiceSpec = {}): Service => ({
  metadata: { namespace: 'shop', name: 'web', uid: 'uid-web' },
  spec: {
    type: 'ClusterIP',
    clusterIP: '10.96.0.7',
    ipFamilies: ['IPv4'],
    sessionAffinity: 'None',
    internalTrafficPolicy: 'Cluster',
    ports: [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }],
    ...spec,
  },
})

export function wantedConditionOf(
  { wantedConditions }: Merge,
  cluster: string,
  type: WantedCondition['type'],
): WantedCondition | undefined {
  return wantedConditions.get(cluster)?.find((wantedCondition) => wantedCondition.type === type)
}

/** Returns the condition `Conflict` of all these exports, which must be the same. */
export function conflictOf(exports: readonly ClusterExport[]): WantedCondition | undefined {
  const merge = mergeExports(exports)
  const [first, ...others] = exports.map(({ cluster }) => wantedConditionOf(merge, cluster, 'Conflict'))
  for (const other of others) {
    if (JSON.stringify(other) !== JSON.stringify(first)) throw new Error('conflicts are reported unequally')
  }
  return first
}
