import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
// Recorded from kube-apiserver 1.36.4.
import recorded from './bootstrap.json' with { type: 'json' }

/** An object of flow control that every server has. */
export interface BootstrapObject {
  readonly name: string
  readonly spec: JsonObject
  /** What is created where it is missing. */
  readonly standard: KubeObject
  /** True: its spec is fixed. Others are suggestions, which a cluster may change. */
  readonly mandatory: boolean
}

export type FlowControlPlural = 'flowschemas' | 'prioritylevelconfigurations'

/** `true`: the server keeps the spec of this release; `false`: the cluster has one of its own. */
export const AUTO_UPDATE = 'apf.kubernetes.io/autoupdate-spec'
const MANDATORY: ReadonlySet<string> = new Set(['catch-all', 'exempt'])

/** Objects that a server begins with, as upstream's apiserver/pkg/apis/flowcontrol/bootstrap has them. */
export const BOOTSTRAP: Readonly<Record<FlowControlPlural, readonly BootstrapObject[]>> = {
  prioritylevelconfigurations: withDuty(recorded.priorityLevels),
  flowschemas: withDuty(recorded.flowSchemas),
}

function withDuty(
  objects: readonly { readonly name: string; readonly spec: JsonObject }[],
): BootstrapObject[] {
  return objects.map(({ name, spec }) => ({
    name,
    spec,
    standard: { metadata: { name, annotations: { [AUTO_UPDATE]: 'true' } }, spec },
    mandatory: MANDATORY.has(name),
  }))
}

/** Returns the spec that an object of this name must have; undefined if it may have any. */
export function fixedSpec(plural: FlowControlPlural, name: string | undefined): JsonObject | undefined {
  return BOOTSTRAP[plural].find((object) => object.mandatory && object.name === name)?.spec
}
