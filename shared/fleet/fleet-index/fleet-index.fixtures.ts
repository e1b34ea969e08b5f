import { FLEET_MANAGED_BY } from '../../changes/index.ts'
import type { ClusterSet, ClusterSetMember } from '../../cluster-sets/index.ts'
import { ANNOTATION_TRIGGER_TIME, LABEL_MANAGED_BY, LABEL_SERVICE_NAME } from '../../endpointslice/index.ts'
import type { ApiObject } from '../../kubernetes/index.ts'
import { derivedServiceName, LABEL_CLUSTER_SET, LABEL_IMPORT_NAME } from '../index.ts'

export const member = (cluster: string, role: ClusterSetMember['role'] = 'both'): ClusterSetMember => ({
  cluster,
  id: cluster,
  role,
})
export const setOf = (...members: readonly ClusterSetMember[]): ClusterSet => ({
  name: 'default',
  members,
  namespaces: ['*'],
})

export interface Named {
  readonly namespace?: string
  readonly name: string
  readonly version?: unknown
  readonly [field: string]: unknown
}

/** Makes an object, in namespace shop by default, with other content for each version. */
export const object = ({ version, namespace = 'shop', ...metadata }: Named): ApiObject =>
  ({
    metadata: { namespace, ...metadata, resourceVersion: version },
    spec: { version: version ?? Math.random() },
  }) as ApiObject

export const namespaceObject = (name: string, uid: string): ApiObject => ({ metadata: { name, uid } })

export const importObject = (of: Named, set = 'default'): ApiObject =>
  object({ ...of, labels: { [LABEL_CLUSTER_SET]: set } })

/** @param of the Service that it is derived from */
export const derivedObject = ({ name, namespace = 'shop', version }: Named, set = 'default'): ApiObject =>
  object({
    namespace,
    name: derivedServiceName(namespace, name),
    version,
    labels: { [LABEL_CLUSTER_SET]: set, [LABEL_IMPORT_NAME]: name },
  })

export const sliceObject = (slice: Named, service: unknown, triggerTime?: string): ApiObject =>
  object({
    ...slice,
    labels: { [LABEL_SERVICE_NAME]: service },
    annotations: { [ANNOTATION_TRIGGER_TIME]: triggerTime },
  })

export const importedSlice = (slice: Named, service: string): ApiObject =>
  object({ ...slice, labels: { [LABEL_MANAGED_BY]: FLEET_MANAGED_BY, [LABEL_IMPORT_NAME]: service } })
