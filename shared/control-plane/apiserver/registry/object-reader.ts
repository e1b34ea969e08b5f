import type { KubeObject } from '../../apimachinery/objects.ts'

/** A strategy's reads of other resources, named `configmaps` or `endpointslices.discovery.k8s.io`. */
export interface ObjectReader {
  get(resource: string, namespace: string, name: string): KubeObject | undefined
  list(resource: string, namespace?: string): KubeObject[]
}
