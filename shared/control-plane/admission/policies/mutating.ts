import { quoted } from '../../../kubernetes/index.ts'
import { forbidden } from '../../apimachinery/errors/factories.ts'
import { ApiError } from '../../apimachinery/errors/status.ts'
import { objectAt, sameJson } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import type { AdmissionAttributes, AdmissionPlugin } from '../../apiserver/registry/admission/types.ts'
import type { Registry } from '../../apiserver/registry/registry.ts'
import type { MatchedAs } from '../matched-as.ts'
import { replaceObject } from '../replace-object.ts'
import { isExempt } from '../webhooks/invocation.ts'
import { ReinvokedWebhooks } from '../webhooks/reinvoked-webhooks.ts'
import { type CompiledMutatingPolicy, compileMutating } from './compiled.ts'
import { conditionsMet } from './decisions.ts'
import { asRequested, endpointOf, inputOf, matchedRequest } from './input.ts'
import { bindingMatches, isExcluded, matchOf, mayMatch } from './matching.ts'
import { PolicyConfigurationError, paramsOf } from './params.ts'
import { MutationError, mutated } from './patches.ts'
import { type BoundPolicy, PolicySource } from './source.ts'

type Policy = BoundPolicy<CompiledMutatingPolicy>

/** Creates the plugin MutatingAdmissionPolicy (KEP-3962). A policy sees what those before it have changed. */
export function mutatingPolicies(registry: Registry): AdmissionPlugin {
  const source = new PolicySource('mutating', registry.objects, compileMutating)
  const rounds = { create: () => new ReinvokedWebhooks() }
  return {
    name: 'MutatingAdmissionPolicy',
    handles: (request) =>
      request.operation !== 'DELETE' &&
      !isExempt(request) &&
      !isExcluded(request) &&
      source.constraints().some((constraints) => mayMatch(constraints, request, registry)),
    mutate: async (attributes) => {
      const round = new Round(attributes, registry, attributes.reinvocation.state(rounds))
      const invocations = (
        await Promise.all(source.policies().map((policy) => round.invocations(policy)))
      ).flat()
      for (const invocation of invocations) await round.invoke(invocation)
      round.end()
    },
  }
}

/** A policy with one binding of it and one parameter. */
interface Invocation {
  readonly policy: Policy
  readonly binding: Policy['bindings'][number]
  readonly matchedAs: MatchedAs
  readonly param: KubeObject | undefined
}

/** One of at most two passes over the policies. */
class Round {
  readonly #attributes: AdmissionAttributes
  readonly #registry: Registry
  readonly #reinvoked: ReinvokedWebhooks
  readonly #failures: { readonly text: string; readonly reason: string }[] = []

  constructor(attributes: AdmissionAttributes, registry: Registry, reinvoked: ReinvokedWebhooks) {
    this.#attributes = attributes
    this.#registry = registry
    this.#reinvoked = reinvoked
    if (attributes.reinvocation.again) reinvoked.begin(attributes.object)
  }

  /** Returns the invocations of a policy, before the first of them changes the object. */
  async invocations(policy: Policy): Promise<Invocation[]> {
    const found: Invocation[] = []
    for (const binding of policy.bindings) {
      try {
        found.push(...(await this.#ofBinding(policy, binding)))
      } catch (error) {
        this.#configurationError(error, policy, binding)
      }
    }
    return found
  }

  async #ofBinding(policy: Policy, binding: Invocation['binding']): Promise<Invocation[]> {
    const constraints = objectAt(policy.spec, 'matchConstraints')
    const matchedAs = matchOf(constraints, this.#attributes, this.#registry)
    if (!matchedAs || !bindingMatches(binding.spec, this.#attributes, this.#registry)) return []
    const params = await paramsOf(policy.spec, binding.spec, this.#attributes.namespace, this.#registry)
    return params.map((param) => ({ policy, binding, matchedAs, param }))
  }

  #configurationError(error: unknown, policy: Policy, binding: Invocation['binding']): void {
    if (!(error instanceof PolicyConfigurationError) && !(error instanceof ApiError)) throw error
    const ofPolicy = error instanceof PolicyConfigurationError && error.ofPolicy
    const what = `failed to configure ${ofPolicy ? 'policy' : 'binding'}: ${error.message}`
    this.#fail(policy, ofPolicy ? undefined : binding, what, '')
  }

  async invoke(invocation: Invocation): Promise<void> {
    const { policy, binding, matchedAs, param } = invocation
    const request = await matchedRequest(matchedAs, this.#attributes, this.#registry)
    const { object } = request
    const input = inputOf(request, param, this.#attributes)
    const met = conditionsMet(policy.compiled, input)
    if (typeof met === 'string') this.#fail(policy, binding, met, 'Invalid')
    const key = [policy.name, binding.name, param?.metadata.namespace, param?.metadata.name].join('/')
    const isDue = !this.#attributes.reinvocation.again || this.#reinvoked.isDue(key)
    if (met !== true || !object || !isDue) return
    const after = this.#mutate(object, invocation, input)
    if (!sameJson(after, object)) {
      replaceObject(this.#attributes, await asRequested(after, matchedAs, this.#attributes, this.#registry))
      this.#reinvoked.changed()
      this.#attributes.reinvocation.request()
    }
    if (policy.spec.reinvocationPolicy === 'IfNeeded') this.#reinvoked.called(key)
  }

  /** @throws ApiError where a policy whose failures count has failed */
  end(): void {
    this.#reinvoked.finished(this.#attributes.object)
    const [first] = this.#failures
    if (!first) return
    const { resource, name } = this.#attributes
    const { code, reason, details } = forbidden(
      { group: resource.group, plural: resource.resource },
      name,
      'admission request denied by policy',
    )
    const causes = [...(details?.causes ?? []), ...this.#failures.map(({ text }) => ({ message: text }))]
    throw new ApiError(code, first.reason || reason, first.text, { ...details, causes })
  }

  /** Returns the object after all mutations of the policy that could be made. */
  #mutate(
    object: KubeObject,
    { policy, binding, matchedAs }: Invocation,
    input: ReturnType<typeof inputOf>,
  ): KubeObject {
    const { mutations, variables } = policy.compiled
    const definition = endpointOf(matchedAs, this.#registry)?.definition
    if (!definition) return object
    return mutations.reduce((current, mutation) => {
      try {
        return mutated(current, mutation, { input, variables, definition })
      } catch (error) {
        if (!(error instanceof MutationError)) throw error
        this.#fail(policy, binding, error.message, 'Invalid')
        return current
      }
    }, object)
  }

  #fail(
    policy: Policy,
    binding: Policy['bindings'][number] | undefined,
    message: string,
    reason: string,
  ): void {
    if (policy.ignoresFailure) return
    const text = binding
      ? `policy '${policy.name}' with binding '${binding.name}' denied request: ${message}`
      : `policy ${quoted(policy.name)} denied request: ${message}`
    this.#failures.push({ text, reason })
  }
}
