import { compareText, equal } from '../json/index.ts'
import type { OperatorSpec } from '../spec/index.ts'
import { createEngine } from './engine.ts'
import type { EngineOptions, ObjectProblem, ViewEvent, ViewObject } from './types.ts'

/**
 * Computes the views of these objects from scratch, for functions without state between calls. Only the
 * current objects count: for predicates, which compare changes, each object is new.
 * @param objects in JSON form, with apiVersion and kind
 * @example
 * ```ts
 * const object = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web', namespace: 'shop' } }
 * const { views } = evaluateViews(await loadSpecFile('names.yaml'), [object])
 * views.map(({ kind, metadata }) => `${kind} ${metadata.name}`) // => ['Name web']
 * ```
 */
export function evaluateViews(
  spec: OperatorSpec,
  objects: readonly unknown[],
  options: Omit<EngineOptions, 'mode'> = {},
): { views: ViewObject[]; problems: readonly ObjectProblem[] } {
  const engine = createEngine(spec, { ...options, mode: 'snapshot' })
  const started = engine.start()
  const outcome = engine.apply(...objects.map((object) => ({ type: 'Upserted', object }) as const))
  return { views: engine.views(), problems: [...started.problems, ...outcome.problems] }
}

/**
 * Lists the changes from one evaluation to the next: deletions first, each part in the order of kinds and
 * names.
 * @example
 * ```ts
 * const spec = await loadSpecFile('names.yaml')
 * const service = (name: string) => ({
 *   apiVersion: 'v1',
 *   kind: 'Service',
 *   metadata: { name, namespace: 'shop' },
 * })
 * const before = evaluateViews(spec, [service('web')]).views
 * const after = evaluateViews(spec, [service('api')]).views
 * const changes = diffViews(before, after).map(({ type, object }) => `${type} ${object.metadata.name}`)
 * changes // => ['Deleted web', 'Added api']
 * ```
 */
export function diffViews(before: readonly ViewObject[], after: readonly ViewObject[]): ViewEvent[] {
  const old = new Map(before.map((object) => [identityOf(object), object]))
  const now = new Map(after.map((object) => [identityOf(object), object]))
  const deleted = [...old].flatMap(([id, object]): Identified[] =>
    now.has(id) ? [] : [{ id, event: { type: 'Deleted', object, old: object } }],
  )
  const changed = [...now].flatMap(([id, object]): Identified[] => {
    const known = old.get(id)
    if (known === undefined) return [{ id, event: { type: 'Added', object } }]
    return equal(known, object) ? [] : [{ id, event: { type: 'Updated', object, old: known } }]
  })
  const inOrder = (a: Identified, b: Identified): number => compareText(a.id, b.id)
  return [...deleted.sort(inOrder), ...changed.sort(inOrder)].map(({ event }) => event)
}

interface Identified {
  readonly id: string
  readonly event: ViewEvent
}

const identityOf = ({ apiVersion, kind, metadata }: ViewObject): string =>
  JSON.stringify([kind, metadata.namespace ?? '', metadata.name, apiVersion])
