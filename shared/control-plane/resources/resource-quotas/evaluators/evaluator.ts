import type { KubeObject } from '../../../apimachinery/objects.ts'
import type { AdmissionRequest } from '../../../apiserver/registry/admission/types.ts'
import type { ResourceList } from '../resource-list.ts'
import type { ScopeSelector } from '../scopes.ts'

/** Counts the objects of a resource in quotas (upstream: k8s.io/apiserver/pkg/quota/v1 Evaluator). */
export interface Evaluator {
  /** True where every object uses the same. */
  readonly uniform?: boolean
  /** Returns those of the names of which the objects use something. */
  matching(names: Iterable<string>): string[]
  /** Reports whether a request may use more than before. */
  handles(request: Pick<AdmissionRequest, 'operation' | 'subresource'>): boolean
  /** Reports whether an update may use more, as far as the objects show. Default: as `handles` says. */
  concerns?(object: KubeObject, old: KubeObject): boolean
  /** Returns, as `must specify …`, what the object must say if these are limited, and does not. */
  constraint(names: readonly string[], object: KubeObject): string | undefined
  /** Returns what an object uses. `now` is in milliseconds since 1970. */
  usage(object: KubeObject, now: number): ResourceList
  /** Whether an object is in a scope. Scopes are of pods' properties; other objects are in none. */
  inScope(selector: ScopeSelector, object: KubeObject): boolean
}
