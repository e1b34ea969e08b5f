import type { KubeObject } from '../../../apimachinery/objects.ts'
import type { AdmissionRequest } from '../../../apiserver/registry/index.ts'
import type { ResourceList } from '../resource-list.ts'
import type { ScopeSelector } from '../scopes.ts'

/** How objects of one resource count in quotas (upstream: k8s.io/apiserver/pkg/quota/v1 Evaluator). */
export interface Evaluator {
  /** True where every object uses the same. */
  readonly uniform?: boolean
  /** Those of the names that the objects use some of. */
  matching(names: Iterable<string>): string[]
  /** Whether a request may use more than before. */
  handles(request: Pick<AdmissionRequest, 'operation' | 'subresource'>): boolean
  /** Of an update: whether it may, as far as the objects tell. Default: as `handles` says. */
  concerns?(object: KubeObject, old: KubeObject): boolean
  /** What the object does not say and must where these are limited, as `must specify …`. */
  constraint(names: readonly string[], object: KubeObject): string | undefined
  /** `now` is in milliseconds since 1970. */
  usage(object: KubeObject, now: number): ResourceList
  /** Only pods have properties that scopes are about; other objects are in no scope. */
  inScope(selector: ScopeSelector, object: KubeObject): boolean
}
