import type { Node, Pod, Service } from '../../../shared/endpointslice/index.ts'

export const NAMESPACE = 'shop'
export const ZONE_LABEL = 'topology.kubernetes.io/zone'

export const makeNode = (name: string, zone: string): Node => ({
  metadata: { name, labels: { [ZONE_LABEL]: zone } },
  status: { allocatable: { cpu: '4' }, conditions: [{ type: 'Ready', status: 'True' }] },
})

/** Makes a Service without a selector of its own, whose Pods the annotation names. */
export const makeService = (name: string, selector: string): Service => ({
  metadata: { namespace: NAMESPACE, name, annotations: { 'sliceflow.dev/selector': selector } },
  spec: { ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
})

interface PodInput {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly nodeName: string | undefined
}

/** Makes a Pod that an API server accepts: one container, which never runs. */
export const makePod = ({ name, labels, nodeName }: PodInput): Pod => ({
  metadata: { namespace: NAMESPACE, name, labels: { ...labels } },
  spec: {
    containers: [{ name: 'main', image: 'example.org/none', ports: [{ name: 'http', containerPort: 8080 }] }],
    nodeName,
  },
})

/** Makes the condition that a kubelet would report now. */
export const readiness = (ready: boolean): NonNullable<Pod['status']> => {
  // Kubernetes' times have no fractions of seconds.
  const lastTransitionTime = new Date().toISOString().replace(/\.\d+Z$/, 'Z')
  return { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime }] }
}
