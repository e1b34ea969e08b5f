import type { Service } from '../endpointslice/index.ts'
import {
  type LabelRequirement,
  parseLabelSelector,
  SelectorError,
  selectorFromLabels,
} from '../kubernetes/index.ts'
import type { Mode } from '../settings/index.ts'

/** On a Service without a selector: which pods it shall have, in the form that `kubectl -l` takes. */
export const ANNOTATION_SELECTOR = 'sliceflow.dev/selector'

/** What Sliceflow has to do with a Service. */
export type Selection =
  /** Its slices hold the pods that match. */
  | { readonly kind: 'managed'; readonly selector: readonly LabelRequirement[] }
  /** Not ours; slices that we made before are left as they are, or removed. */
  | { readonly kind: 'unmanaged'; readonly leftovers: 'keep' | 'delete' }
  /** Ours, but its annotation cannot be understood; its slices stay as they are until it is mended. */
  | { readonly kind: 'invalid'; readonly problem: string }

/** Pure; the same for the relay, which watches, and for the function, which reads. */
export function selectionOf(service: Service, mode: Mode): Selection {
  return mode === 'replace' ? replaceSelection(service) : customSelection(service)
}

/** As syncService of the in-tree controller: no selector or ExternalName, and the slices are left alone. */
function replaceSelection({ spec }: Service): Selection {
  const labels = spec?.selector ?? {}
  if (spec?.type === 'ExternalName' || Object.keys(labels).length === 0)
    return { kind: 'unmanaged', leftovers: 'keep' }
  return { kind: 'managed', selector: selectorFromLabels(labels) }
}

function customSelection({ metadata, spec }: Service): Selection {
  const text = metadata?.annotations?.[ANNOTATION_SELECTOR]
  const hasSelector = Object.keys(spec?.selector ?? {}).length > 0
  if (text === undefined || hasSelector || spec?.type === 'ExternalName')
    return { kind: 'unmanaged', leftovers: 'delete' }
  try {
    const selector = parseLabelSelector(text)
    if (selector.length > 0) return { kind: 'managed', selector }
    return { kind: 'invalid', problem: 'it is empty and would match every pod of the namespace' }
  } catch (error) {
    if (error instanceof SelectorError) return { kind: 'invalid', problem: error.message }
    throw error
  }
}
