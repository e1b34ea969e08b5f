import type { OtherOwner, OwnerObject } from '../../shared/changes/index.ts'
import type { Service } from '../../shared/endpointslice/index.ts'
import { SliceOwner } from '../../shared/endpointslice/slice-owner.ts'
import { LABEL_SERVICE_NAME } from '../../shared/endpointslice/well-known.ts'
import type { Resource } from '../../shared/kubernetes/index.ts'

/** Pods behind one port, for something that is no Service. */
export interface BackendPool extends OwnerObject {
  readonly spec: { readonly labels: Readonly<Record<string, string>>; readonly port: number }
}

export const BACKEND_POOLS: Resource<BackendPool> = {
  ...{ group: 'example.com', version: 'v1', plural: 'backendpools', kind: 'BackendPool' },
  namespaced: true,
}

export const BACKEND_POOL_OWNER = new SliceOwner({
  apiVersion: 'example.com/v1',
  kind: 'BackendPool',
  nameLabel: 'example.com/backend-pool',
  isController: true,
  absentLabel: LABEL_SERVICE_NAME,
  rules: { publishesHostnames: false, keepsPlaceholder: false },
})

export const BACKEND_POOL = {
  owner: BACKEND_POOL_OWNER,
  enabledBy: 'endpointSelectors',
  resources: { backendPools: BACKEND_POOLS },
  asService: ({ apiVersion, metadata, spec: { labels, port } }: BackendPool): Service =>
    ({
      ...(apiVersion && { apiVersion }),
      kind: 'BackendPool',
      metadata,
      labelSelector: { matchLabels: labels },
      spec: { clusterIP: 'None', ports: [{ name: '', port: 0, targetPort: port }] },
    }) as Service,
} as const satisfies OtherOwner
