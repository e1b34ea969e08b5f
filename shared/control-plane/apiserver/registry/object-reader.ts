import type { KubeObject } from '../../apimachinery/objects.ts'

/**
 * Reads of other resources that a strategy may do; resources are named as `configmaps` or
 * `endpointslices.discovery.k8s.io`.
 */
export interface ObjectReader {
  get(resource: string, namespace: string, name: string): KubeObject | undefined
  list(resource: string, namespace?: string): KubeObject[]
}
