import { forbidden } from '../../apimachinery/errors/factories.ts'
import { ApiError } from '../../apimachinery/errors/status.ts'
import { objectAt, stringsAt } from '../../apimachinery/json/values.ts'
import type { AdmissionAttributes, AdmissionPlugin } from '../../apiserver/registry/admission/types.ts'
import type { Registry } from '../../apiserver/registry/registry.ts'
import { isExempt } from '../webhooks/invocation.ts'
import { type CompiledValidatingPolicy, compileValidating } from './compiled.ts'
import { type PolicyDecision, type PolicyResult, validateByPolicy } from './decisions.ts'
import { inputOf, type MatchedRequest, matchedRequest } from './input.ts'
import { bindingMatches, isExcluded, matchOf, mayMatch } from './matching.ts'
import { PolicyConfigurationError, paramsOf } from './params.ts'
import { type BoundPolicy, PolicySource } from './source.ts'

/** HTTP status by the reason of a validation. */
const CODES: Readonly<Record<string, number>> = {
  Forbidden: 403,
  RequestEntityTooLarge: 413,
  Invalid: 422,
}
/** Longest value of an annotation of the audit log, in UTF-16 units. */
const LONGEST_ANNOTATION = 10 * 1024

type Policy = BoundPolicy<CompiledValidatingPolicy>
type Binding = Policy['bindings'][number]

/** Creates the plugin ValidatingAdmissionPolicy (KEP-3488). The first denial of any binding is the answer. */
export function validatingPolicies(registry: Registry): AdmissionPlugin {
  const source = new PolicySource('validating', registry.objects, compileValidating)
  return {
    name: 'ValidatingAdmissionPolicy',
    handles: (request) =>
      !isExempt(request) &&
      !isExcluded(request) &&
      source.constraints().some((constraints) => mayMatch(constraints, request, registry)),
    validate: async (attributes) => {
      const dispatch = new Dispatch(attributes, registry)
      for (const policy of source.policies()) await dispatch.policy(policy)
      dispatch.end()
    },
  }
}

interface Denial {
  readonly text: string
  readonly reason: string
}

/** One request on its way through all policies. */
class Dispatch {
  readonly #attributes: AdmissionAttributes
  readonly #registry: Registry
  readonly #denials: Denial[] = []

  constructor(attributes: AdmissionAttributes, registry: Registry) {
    this.#attributes = attributes
    this.#registry = registry
  }

  async policy(policy: Policy): Promise<void> {
    const annotations = new Map<string, Set<string>>()
    try {
      const matchedAs = matchOf(objectAt(policy.spec, 'matchConstraints'), this.#attributes, this.#registry)
      if (!matchedAs) return
      const request = await matchedRequest(matchedAs, this.#attributes, this.#registry)
      for (const binding of policy.bindings) await this.#binding(policy, binding, request, annotations)
    } catch (error) {
      this.#configurationError(error, policy, undefined)
    }
    for (const [key, values] of annotations) {
      this.#attributes.annotate(`${policy.name}/${key}`, [...values].join(', '))
    }
  }

  /** @throws ApiError for the first denial */
  end(): void {
    const [first] = this.#denials
    if (!first) return
    const { resource, name } = this.#attributes
    const refusal = forbidden({ group: resource.group, plural: resource.resource }, name, first.text)
    const causes = [...(refusal.details?.causes ?? []), { message: first.text }]
    throw new ApiError(CODES[first.reason] ?? 422, first.reason, refusal.message, {
      ...refusal.details,
      causes,
    })
  }

  async #binding(
    policy: Policy,
    binding: Binding,
    request: MatchedRequest,
    annotations: Map<string, Set<string>>,
  ): Promise<void> {
    try {
      if (!bindingMatches(binding.spec, this.#attributes, this.#registry)) return
      const params = await paramsOf(policy.spec, binding.spec, this.#attributes.namespace, this.#registry)
      for (const param of params) {
        const result = validateByPolicy(policy.compiled, inputOf(request, param, this.#attributes))
        this.#decisions(result, policy, binding)
        for (const { key, value } of result.annotations) {
          const known = annotations.get(key) ?? new Set()
          annotations.set(key, known.add(value.slice(0, LONGEST_ANNOTATION)))
        }
      }
    } catch (error) {
      this.#configurationError(error, policy, binding)
    }
  }

  #configurationError(error: unknown, policy: Policy, binding: Binding | undefined): void {
    if (!(error instanceof PolicyConfigurationError) && !(error instanceof ApiError)) throw error
    if (policy.ignoresFailure) return
    const ofPolicy = !binding || (error instanceof PolicyConfigurationError && error.ofPolicy)
    const what = `failed to configure ${ofPolicy ? 'policy' : 'binding'}: ${error.message}`
    this.#deny(what, 'Invalid', policy, ofPolicy ? undefined : binding)
  }

  #deny(message: string, reason: string, policy: Policy, binding: Binding | undefined): void {
    const bound = binding ? ` with binding '${binding.name}'` : ''
    const text = `ValidatingAdmissionPolicy '${policy.name}'${bound} denied request: ${message}`
    this.#denials.push({ text, reason })
  }

  #decisions({ decisions, errors }: PolicyResult, policy: Policy, binding: Binding): void {
    for (const [index, decision] of decisions.entries()) {
      const isLetThrough = decision.kind === 'admit' || (decision.kind === 'error' && policy.ignoresFailure)
      if (isLetThrough) continue
      for (const action of stringsAt(binding.spec, 'validationActions'))
        this.#act(action, { decision, index }, policy, binding)
    }
    if (policy.ignoresFailure) return
    for (const message of errors) this.#deny(message, 'Invalid', policy, binding)
  }

  #act(
    action: string,
    { decision, index }: { decision: Exclude<PolicyDecision, { kind: 'admit' }>; index: number },
    policy: Policy,
    binding: Binding,
  ): void {
    const { message } = decision
    if (action === 'Deny') {
      this.#deny(message, decision.kind === 'deny' ? decision.reason : 'Invalid', policy, binding)
    } else if (action === 'Warn') {
      this.#attributes.warn(
        `Validation failed for ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}': ${message}`,
      )
    } else if (action === 'Audit') {
      const validationActions = stringsAt(binding.spec, 'validationActions')
      const failure = {
        message,
        policy: policy.name,
        binding: binding.name,
        expressionIndex: index,
        validationActions,
      }
      this.#attributes.annotate(
        'validation.policy.admission.k8s.io/validation_failure',
        JSON.stringify([failure]),
      )
    }
  }
}
