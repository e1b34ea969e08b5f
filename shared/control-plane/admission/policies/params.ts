import { matchesLabels } from '../../../kubernetes/index.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { isObject, objectAt, stringAt } from '../../apimachinery/json/values.ts'
import { type KubeObject, labelsOf } from '../../apimachinery/objects.ts'
import { requirementsOf } from '../../apimachinery/selectors.ts'
import { apiVersionOf, keyOf } from '../../apiserver/registry/definition/names.ts'
import type { Endpoint } from '../../apiserver/registry/definition/resource-definition.ts'
import type { Registry } from '../../apiserver/registry/registry.ts'

/** Error of a policy or binding that cannot be used. Its failurePolicy decides what that means. */
export class PolicyConfigurationError extends Error {
  override readonly name = 'PolicyConfigurationError'
  /** True where the policy itself is to blame and not the binding. */
  readonly ofPolicy: boolean

  constructor(message: string, ofPolicy = false) {
    super(message)
    this.ofPolicy = ofPolicy
  }
}

/**
 * Returns the parameters with which a binding has its policy evaluated, once for each; undefined stands for
 * none. If the list is empty, the policy is not evaluated.
 * @throws PolicyConfigurationError
 */
export async function paramsOf(
  policy: JsonObject,
  binding: JsonObject,
  namespace: string,
  registry: Registry,
): Promise<(KubeObject | undefined)[]> {
  const { paramKind } = policy
  if (!isObject(paramKind)) return [undefined]
  const endpoint = endpointOf(paramKind, registry)
  const { paramRef } = binding
  if (!isObject(paramRef)) return [undefined]
  const found = await select(paramRef, endpoint, paramNamespace(paramRef, endpoint, namespace))
  if (found.length === 0 && stringAt(paramRef, 'parameterNotFoundAction') === 'Deny') {
    throw new PolicyConfigurationError(
      'no params found for policy binding with `Deny` parameterNotFoundAction',
    )
  }
  return found
}

function endpointOf(paramKind: JsonObject, registry: Registry): Endpoint {
  const apiVersion = stringAt(paramKind, 'apiVersion')
  const kind = stringAt(paramKind, 'kind')
  const found = registry.endpoints.find(
    ({ definition }) => definition.kind === kind && apiVersionOf(definition) === apiVersion,
  )
  if (found) return found
  const shown = `${apiVersion.includes('/') ? '' : '/'}${apiVersion}, Kind=${kind}`
  throw new PolicyConfigurationError(`failed to find resource referenced by paramKind: '${shown}'`, true)
}

/** Returns the namespace of the parameters; it is empty for cluster-scoped ones. */
function paramNamespace(paramRef: JsonObject, { definition }: Endpoint, namespace: string): string {
  const wanted = stringAt(paramRef, 'namespace')
  if (definition.namespaced) {
    if (wanted !== '' || namespace !== '') return wanted || namespace
    throw new PolicyConfigurationError(
      'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
    )
  }
  if (wanted === '') return ''
  throw new PolicyConfigurationError(
    'paramRef.namespace must not be provided for a cluster-scoped `paramKind`',
  )
}

async function select(paramRef: JsonObject, endpoint: Endpoint, namespace: string): Promise<KubeObject[]> {
  const { store, resource } = endpoint
  const name = stringAt(paramRef, 'name')
  const found =
    name === ''
      ? store
          .list(resource, namespace === '' ? '' : `${namespace}/`)
          .filter((object) => matchesLabels(requirementsOf(objectAt(paramRef, 'selector')), labelsOf(object)))
      : [store.get(resource, keyOf(namespace, name))].filter((object) => object !== undefined)
  const { converted } = endpoint
  return converted ? await Promise.all(found.map((object) => converted.read(object))) : found
}
