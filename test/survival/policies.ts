import type { ApiObject, Resource } from '../../shared/kubernetes/index.ts'

/** An admission policy that an API server evaluates itself, or its binding. */
interface Policy extends ApiObject {
  readonly spec: object
}

export const policyKind = (plural: string, kind: string): Resource<Policy> => ({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural,
  kind,
  namespaced: false,
})
