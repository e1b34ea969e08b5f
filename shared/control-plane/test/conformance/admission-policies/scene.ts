import { afterAll, vi } from 'vitest'
import type { Json, RawResponse } from '../../../../../test/support/raw-client.ts'
import { accepted, PATIENCE, type Place } from '../subject.ts'

const API = '/apis/admissionregistration.k8s.io/v1'

type PolicyKind = 'mutating' | 'validating'

export const policyPath = (kind: PolicyKind, name = ''): string =>
  `${API}/${kind}admissionpolicies${name === '' ? '' : `/${name}`}`
export const bindingPath = (kind: PolicyKind, name = ''): string =>
  `${API}/${kind}admissionpolicybindings${name === '' ? '' : `/${name}`}`

/** Policies of one block of tests, removed with it. */
interface Scene {
  /** Creates a policy for ConfigMaps of this namespace, and a binding of the same name. */
  bind(kind: PolicyKind, name: string, spec: Json, binding?: Json): Promise<void>
  /** Creates a ConfigMap in a dry run. */
  attempt(name: string, more?: Json): Promise<RawResponse>
  /** Repeats it until the answer is as wanted: a policy counts a moment after it was created. */
  until(wanted: (response: RawResponse) => boolean, name: string, more?: Json): Promise<RawResponse>
}

/** Returns the constraints of a policy for ConfigMaps of that namespace. */
export const constraints = (namespace: string, more: Json = {}): Json => ({
  resourceRules: [
    { apiGroups: [''], apiVersions: ['*'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] },
  ],
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
  ...more,
})

export function useScene(place: Place): Scene {
  const made: string[] = []
  afterAll(async () => {
    for (const path of made.toReversed()) await place.client.delete(path)
  })
  const create = async (path: string, object: Json): Promise<void> => {
    accepted(await place.client.post(path, object))
    made.push(`${path}/${object.metadata.name}`)
  }
  const attempt = (name: string, more: Json = {}): Promise<RawResponse> =>
    place.client.post(`${place.path('configmaps')}?dryRun=All`, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      ...more,
      metadata: { name, ...more.metadata },
    })
  return {
    bind: async (kind, name, spec, binding = {}) => {
      await create(policyPath(kind), {
        metadata: { name },
        spec: {
          matchConstraints: constraints(place.namespace),
          ...(kind === 'mutating' ? { reinvocationPolicy: 'Never' } : {}),
          ...spec,
        },
      })
      await create(bindingPath(kind), {
        metadata: { name },
        spec: {
          policyName: name,
          ...(kind === 'validating' ? { validationActions: ['Deny'] } : {}),
          ...binding,
        },
      })
    },
    attempt,
    until: (wanted, name, more) =>
      vi.waitFor(async () => {
        const response = await attempt(name, more)
        if (!wanted(response)) throw new Error(`not yet: ${response.status} ${response.text}`)
        return response
      }, PATIENCE),
  }
}

export const isDenied = ({ status }: RawResponse): boolean => status >= 400
export const isChanged = ({ body }: RawResponse): boolean => body.data?.changed !== undefined
