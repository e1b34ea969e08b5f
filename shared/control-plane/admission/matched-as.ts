import type { JsonObject } from '../apimachinery/json/exact-numbers.ts'
import type { AdmissionRequest } from '../apiserver/registry/admission/types.ts'
import type { Registry } from '../apiserver/registry/registry.ts'
import { matchesRule } from './rules.ts'
import { equivalentsOf, type SeenAs } from './versions.ts'

/** A resource that a webhook or policy sees a request as; its kind may have no endpoint (Binding). */
export type MatchedAs = Pick<SeenAs, 'kind' | 'resource'>

interface RuleMatch {
  readonly rules: readonly JsonObject[]
  /** `matchPolicy: Equivalent`: rules about other versions, or the same objects in another group, count. */
  readonly equivalent: boolean
  /** Reports whether a rule meets a further condition. Default: it does. */
  readonly also?: (rule: JsonObject) => boolean
}

/**
 * Returns the resource as which the rules (RuleWithOperations) match the request: its own resource if a rule
 * names it, or else the equivalent resource that the first matching rule names. Undefined if no rule matches.
 */
export function matchedAs(
  { rules, equivalent, also = () => true }: RuleMatch,
  request: AdmissionRequest,
  registry: Registry,
): MatchedAs | undefined {
  const { kind, resource } = request
  const candidates = rules.filter(also)
  if (candidates.some((rule) => matchesRule(rule, request, resource))) return { kind, resource }
  if (!equivalent || candidates.length === 0) return undefined
  const equivalents = equivalentsOf(request, registry)
  for (const rule of candidates) {
    const found = equivalents.find((other) => matchesRule(rule, request, other.resource))
    if (found) return found
  }
  return undefined
}
