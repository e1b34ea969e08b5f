import { readFile } from 'node:fs/promises'

/** One of upstream's conformance specs that pass on a bare kube-apiserver with kube-controller-manager. */
export interface Spec {
  /** Name as Ginkgo prints it. */
  readonly name: string
  /**
   * Reason why it cannot pass on the embedded control plane: something that it needs and that is not served.
   * undefined: it has to pass.
   */
  readonly missing: string | undefined
}

/** The specs whose names have the text need what stands beside it. */
const MISSING: readonly (readonly [text: string, resources: string])[] = [
  ['AggregatedDiscovery should support aggregated discovery interface [', 'Deployments'],
  ['AggregatedDiscovery should support raw aggregated discovery endpoint', 'Deployments'],
  ['Discovery should locate the groupVersion', 'Deployments'],
  ['FieldValidation should detect unknown and duplicate fields of a typed object', 'Deployments'],
  ['FieldValidation should detect unknown metadata fields of a typed object', 'Deployments'],
  ['MutatingAdmissionPolicy [Privileged:ClusterAdmin] should mutate', 'Deployments'],
  ['should allow expressions to refer variables', 'Deployments'],
  ['should validate against a Deployment', 'Deployments'],
  ['kubectl diff finds a difference for Deployments', 'Deployments'],
  ['API chunking', 'PodTemplates'],
  ['PodTemplates', 'PodTemplates'],
  ['Ingress', 'Ingresses'],
  ['RuntimeClass', 'RuntimeClasses'],
  ['[DRA]', 'resource.k8s.io'],
  ['LimitRange', 'LimitRanges'],
  ['[sig-storage]', 'storage'],
]

/** Loads the 105 specs, in the order of specs.txt. */
export async function loadSpecs(): Promise<Spec[]> {
  const text = await readFile(new URL('./specs.txt', import.meta.url), 'utf8')
  const names = text.trimEnd().split('\n')
  return names.map((name) => ({ name, missing: MISSING.find(([part]) => name.includes(part))?.[1] }))
}
