import type { JsonObject } from '../../apimachinery/json/index.ts'
// Recorded from kube-apiserver 1.36.4.
import recorded from './bootstrap.json' with { type: 'json' }

/** An object of flow control that every server has. */
export interface BootstrapObject {
  readonly name: string
  readonly spec: JsonObject
  /** True: its spec is fixed. Others are suggestions, which a cluster may change. */
  readonly mandatory: boolean
}

export type FlowControlPlural = 'flowschemas' | 'prioritylevelconfigurations'

const MANDATORY: ReadonlySet<string> = new Set(['catch-all', 'exempt'])

/** Objects that a server begins with, as upstream's apiserver/pkg/apis/flowcontrol/bootstrap has them. */
export const BOOTSTRAP: Readonly<Record<FlowControlPlural, readonly BootstrapObject[]>> = {
  prioritylevelconfigurations: withDuty(recorded.priorityLevels),
  flowschemas: withDuty(recorded.flowSchemas),
}

function withDuty(
  objects: readonly { readonly name: string; readonly spec: JsonObject }[],
): BootstrapObject[] {
  return objects.map((object) => ({ ...object, mandatory: MANDATORY.has(object.name) }))
}

/** Returns the spec that an object of this name must have; undefined if it may have any. */
export function fixedSpec(plural: FlowControlPlural, name: string | undefined): JsonObject | undefined {
  return BOOTSTRAP[plural].find((object) => object.mandatory && object.name === name)?.spec
}
