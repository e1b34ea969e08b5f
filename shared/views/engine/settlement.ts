import { compareText, equal, type JsonObject } from '../json/index.ts'
import type { Failure } from '../pipeline/index.ts'
import type { ControllerState, TargetChange } from './state/index.ts'
import type { ObjectProblem, Outcome, PipelineDelta, ViewEvent, ViewObject } from './types.ts'
import type { StoreChange } from './view-store.ts'

interface Touched {
  readonly key: string
  readonly old: JsonObject | undefined
  now: JsonObject | undefined
}

/** Collects what one change leads to, until nothing moves any more. */
export class Settlement {
  readonly #pipeline: { place: number; key: string; delta: PipelineDelta }[] = []
  readonly #touched = new Map<string, Touched>()
  readonly #problems: ObjectProblem[] = []

  /** @param place of the controller, for the order */
  delta({ spec }: ControllerState, place: number, { key, old, object }: TargetChange): void {
    const given = object ?? old
    if (given === undefined) return
    const type = object === undefined ? 'Deleted' : 'Upserted'
    const delta = { controller: spec.name, type, object: given as ViewObject } as const
    this.#pipeline.push({ place, key, delta })
  }

  /** Notes a change of an object; several changes of one object become one. */
  touch(view: string, key: string, { old, object }: StoreChange): void {
    const id = `${view} ${key}`
    const known = this.#touched.get(id)
    if (known === undefined) this.#touched.set(id, { key, old, now: object })
    else known.now = object
  }

  problem(problem: ObjectProblem): void {
    this.#problems.push(problem)
  }

  failure({ spec, inputs }: ControllerState, { op, step, row, message }: Failure): void {
    const objects = row.origins.flatMap((origin) =>
      origin.objects.map((key, source) => `${inputs[source]?.spec.kind} ${displayKey(key)}`),
    )
    const place = op === 'target' ? op : `${op} (step ${step})`
    this.problem({ controller: spec.name, step: place, objects: [...new Set(objects)], message })
  }

  outcome(): Outcome {
    const pipeline = this.#pipeline.toSorted(
      (a, b) =>
        Number(b.delta.type === 'Deleted') - Number(a.delta.type === 'Deleted') ||
        a.place - b.place ||
        compareText(a.key, b.key),
    )
    const view = [...this.#touched.values()].flatMap(eventOf).toSorted(compareEvents)
    return { pipeline: pipeline.map(({ delta }) => delta), view, problems: this.#problems }
  }
}

/** Returns `namespace/name`, or `name` alone where there is no namespace. */
export const displayKey = (key: string): string => (key.startsWith('/') ? key.slice(1) : key)

function eventOf({ old, now }: Touched): ViewEvent[] {
  const before = old as ViewObject | undefined
  const object = now as ViewObject | undefined
  if (equal(before, object)) return []
  if (before === undefined) return object === undefined ? [] : [{ type: 'Added', object }]
  if (object === undefined) return [{ type: 'Deleted', object: before, old: before }]
  return [{ type: 'Updated', object, old: before }]
}

const RANK = { Deleted: 0, Updated: 1, Added: 2 } as const

function compareEvents(a: ViewEvent, b: ViewEvent): number {
  return (
    RANK[a.type] - RANK[b.type] ||
    compareText(a.object.kind, b.object.kind) ||
    compareText(a.object.metadata.namespace ?? '', b.object.metadata.namespace ?? '') ||
    compareText(a.object.metadata.name, b.object.metadata.name)
  )
}
