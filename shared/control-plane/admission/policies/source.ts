import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { objectAt, objectsAt, stringAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import type { ObjectReader } from '../../apiserver/registry/object-reader.ts'

const GROUP = 'admissionregistration.k8s.io'

type PolicyKind = 'mutating' | 'validating'

/** A policy with the bindings that make it work; one without any does nothing. */
export interface BoundPolicy<Compiled> {
  readonly name: string
  readonly spec: JsonObject
  readonly ignoresFailure: boolean
  readonly compiled: Compiled
  readonly bindings: readonly { readonly name: string; readonly spec: JsonObject }[]
}

/** The policies of a kind that have bindings, by name. */
export class PolicySource<Compiled> {
  readonly #policies: string
  readonly #bindings: string
  readonly #objects: ObjectReader
  readonly #compile: (policy: KubeObject) => Compiled
  // Stored objects are never changed, so what was made of one stays right.
  readonly #compiled = new WeakMap<KubeObject, { readonly made: Compiled }>()

  constructor(kind: PolicyKind, objects: ObjectReader, compile: (policy: KubeObject) => Compiled) {
    this.#policies = `${kind}admissionpolicies.${GROUP}`
    this.#bindings = `${kind}admissionpolicybindings.${GROUP}`
    this.#objects = objects
    this.#compile = compile
  }

  /** Returns the rules of every valid policy. By them a request is found to concern any policy or none. */
  constraints(): JsonObject[] {
    return this.#bound().map(({ policy }) => objectAt(objectAt(policy, 'spec'), 'matchConstraints'))
  }

  policies(): BoundPolicy<Compiled>[] {
    return this.#bound().map(({ policy, bindings }) => {
      const spec = objectAt(policy, 'spec')
      return {
        name: policy.metadata.name ?? '',
        spec,
        ignoresFailure: spec.failurePolicy === 'Ignore',
        compiled: this.#compiledOf(policy),
        bindings: bindings.map((binding) => ({
          name: binding.metadata.name ?? '',
          spec: objectAt(binding, 'spec'),
        })),
      }
    })
  }

  #bound(): { policy: KubeObject; bindings: readonly KubeObject[] }[] {
    const bindings = Map.groupBy(this.#objects.list(this.#bindings), (binding) =>
      stringAt(objectAt(binding, 'spec'), 'policyName'),
    )
    return this.#objects.list(this.#policies).flatMap((policy) => {
      const own = bindings.get(policy.metadata.name ?? '')
      return own ? [{ policy, bindings: own }] : []
    })
  }

  #compiledOf(policy: KubeObject): Compiled {
    const known = this.#compiled.get(policy)
    if (known) return known.made
    const made = this.#compile(policy)
    this.#compiled.set(policy, { made })
    return made
  }
}

export const rulesOf = (
  resources: JsonObject,
  member: 'resourceRules' | 'excludeResourceRules',
): JsonObject[] => objectsAt(resources, member)
