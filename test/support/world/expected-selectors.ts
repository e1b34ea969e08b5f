import type { EndpointSelector, Service } from '../../../shared/endpointslice/index.ts'
import type { ExpectedOwner } from './expected-slices.ts'

/** How slices name the EndpointSelector that they belong to. */
export const OF_SELECTORS: ExpectedOwner = {
  apiVersion: 'sliceflow.dev/v1alpha1',
  kind: 'EndpointSelector',
  nameLabel: 'kubernetes.io/endpoint-selector-name',
  hasPlaceholder: false,
}

/**
 * Returns the Service without a cluster IP that has the same endpoints.
 * @param selector labels of the Pods that it selects
 */
export const serviceOf = (
  { metadata, spec }: EndpointSelector,
  selector: Readonly<Record<string, string>> = { ...spec.selector.matchLabels },
): Service =>
  ({
    metadata: { ...metadata },
    spec: {
      clusterIP: 'None',
      selector,
      ...(spec.ipFamilies && { ipFamilies: spec.ipFamilies }),
      ports: (spec.ports ?? []).map((port) => ({ ...port, port: 0 })),
    },
  }) as Service
