import {
  ANNOTATION_SELECTOR,
  ASKED_SOURCES,
  type Selection,
  type UnmanagedReason,
} from '../../shared/changes/index.ts'
import type { Service } from '../../shared/endpointslice/index.ts'
import { formatLabelSelector, type LabelRequirement } from '../../shared/kubernetes/index.ts'
import type { Mode } from '../../shared/settings/index.ts'
import type { SourceReport } from './report.ts'

const UNMANAGED: Readonly<Record<UnmanagedReason, string>> = {
  ExternalName: 'its type is ExternalName, which has no endpoints',
  HasSelector:
    'it has a selector of its own, so the in-tree controller serves it; custom mode manages Services without one',
  NotAnnotated: `it has neither a selector nor the annotation ${ASKED_SOURCES.map(({ asks }) => asks).join(' or ')}`,
  NoSelector: `it has no selector; the annotation ${ANNOTATION_SELECTOR} counts in custom mode only`,
  Projection: 'it is the projection of the Service of its name, whose slices have its Pods',
}

/** Says why Sliceflow does not keep the Service's slices, as a clause. */
export const unmanagedReason = (reason: UnmanagedReason): string => UNMANAGED[reason]

/** Returns why Sliceflow manages the Service's slices, as a clause. */
export function managedReason(selection: Selection, mode: Mode): string {
  if (mode === 'replace') return 'it has a selector'
  return `it has the annotation ${selection.kind === 'sourced' ? selection.source.asks : ANNOTATION_SELECTOR}`
}

/** Writes a selector; `app in (web)` is `app=web` in fewer words. */
export const selectorText = (requirements: readonly LabelRequirement[]): string =>
  formatLabelSelector(requirements).replaceAll(/ in \(([^,()]*)\)/g, '=$1')

/** @param cluster the Service's own */
export function sourceOf(
  selection: Selection & { kind: 'managed' | 'sourced' },
  { metadata }: Service,
  cluster: string,
): SourceReport {
  if (selection.kind === 'sourced') return { kind: selection.source.explained?.kind ?? selection.source.name }
  const { network, namespace, clusters = [cluster] } = selection
  const [only, ...others] = clusters
  return {
    kind: 'Pods',
    ...(others.length === 0 ? { cluster: only ?? cluster } : { clusters }),
    namespace: namespace || (metadata?.namespace ?? ''),
    selector: selectorText(selection.selector),
    ...(network !== undefined && { network }),
  }
}
