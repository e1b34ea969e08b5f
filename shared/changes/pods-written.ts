import type { EndpointSlice, SlicePlan } from '../endpointslice/index.ts'

interface WrittenPods {
  /** Names of the Pods whose endpoints differ between the slices before and what is written. */
  readonly changed: ReadonlySet<string>
  /** Whether one is in a slice that is written and was not in it before. */
  readonly areAdded: boolean
}

/** Returns the Pods of this namespace that changes are about. */
export function podsWritten(
  before: readonly EndpointSlice[],
  { create, update, delete: gone }: Pick<SlicePlan, 'create' | 'update' | 'delete'>,
  namespace: string,
): WrittenPods {
  const olds = new Map(before.map((slice) => [slice.metadata?.name, slice]))
  const changed = new Set<string>()
  let areAdded = false
  for (const slice of [...create, ...update, ...gone]) {
    const was = endpointTexts(olds.get(slice.metadata?.name), namespace)
    const is = endpointTexts(gone.includes(slice) ? undefined : slice, namespace)
    for (const [name, text] of is) if (was.get(name) !== text) changed.add(name)
    for (const name of was.keys()) if (!is.has(name)) changed.add(name)
    areAdded ||= is.keys().some((name) => !was.has(name))
  }
  return { changed, areAdded }
}

function endpointTexts(slice: EndpointSlice | undefined, namespace: string): Map<string, string> {
  const texts = new Map<string, string>()
  for (const endpoint of slice?.endpoints ?? []) {
    const { addresses, conditions, nodeName, zone, hostname, targetRef } = endpoint
    const isPod = targetRef?.kind === 'Pod' && (targetRef.namespace ?? namespace) === namespace
    const { name } = isPod ? targetRef : {}
    if (name === undefined) continue
    const { ready, serving, terminating } = conditions ?? {}
    const text = [addresses, ready, serving, terminating, nodeName, zone, hostname, targetRef?.uid].join(' ')
    texts.set(name, `${texts.get(name) ?? ''}${text}`)
  }
  return texts
}
