import type { JsonObject } from '../json/index.ts'
import { type ControllerSpec, type OperatorSpec, VIEW_VERSION, viewGroup } from '../spec/index.ts'
import { explain } from './explain.ts'
import { type Ingested, ingest } from './ingest.ts'
import { groupKindText, settlingOrder } from './order.ts'
import { controllersOfSecrets, withoutValue } from './secrets.ts'
import { displayKey, Settlement } from './settlement.ts'
import type { TargetChange, Transition } from './state/index.ts'
import { ControllerState } from './state/index.ts'
import type {
  Engine,
  EngineOptions,
  Explanation,
  ObjectEvent,
  Outcome,
  ViewObject,
  ViewReference,
} from './types.ts'
import { ViewStore } from './view-store.ts'

/** Maximum number of runs per controller that one change may cause; more means a cycle that never settles. */
const MAX_RUNS_PER_CONTROLLER = 100

/**
 * Creates an engine that has no objects yet.
 * @example
 * ```ts
 * const engine = createEngine(await loadSpecFile('names.yaml')) // one Name for each Service
 * engine.start()
 * const object = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web', namespace: 'shop' } }
 * const { view } = engine.apply({ type: 'Upserted', object })
 * view.map(({ type, object }) => `${type} ${object.metadata.name}`) // => ['Added web']
 * engine.apply({ type: 'Deleted', object }).view.map(({ type }) => type) // => ['Deleted']
 * ```
 */
export function createEngine(spec: OperatorSpec, options: EngineOptions = {}): Engine {
  return new SpecEngine(spec, options)
}

class SpecEngine implements Engine {
  readonly #controllers: readonly ControllerState[]
  readonly #places: readonly number[]
  readonly #ofSecrets: ReadonlySet<ControllerSpec>
  /** Sources that read a kind, each with its controller. */
  readonly #readers = new Map<string, { controller: ControllerState; source: number }[]>()
  /** Objects from outside, of the kinds that are read. */
  readonly #objects = new Map<string, Map<string, JsonObject>>()
  readonly #views = new Map<string, ViewStore>()
  readonly #viewPrefix: string
  readonly #now: () => Date

  constructor({ name, controllers }: OperatorSpec, options: EngineOptions) {
    const { mode = 'incremental', now = () => new Date(), random = Math.random } = options
    this.#now = now
    this.#viewPrefix = groupKindText({ group: viewGroup(name), kind: '' })
    this.#places = settlingOrder(controllers)
    this.#ofSecrets = controllersOfSecrets(controllers)
    const environment = { now, random }
    this.#controllers = controllers.map(
      (controller, number) => new ControllerState(controller, number, { mode, environment }),
    )
    for (const controller of this.#controllers) this.#register(controller)
  }

  #register(controller: ControllerState): void {
    for (const [source, { spec }] of controller.inputs.entries()) {
      const groupKind = groupKindText(spec)
      const readers = this.#readers.get(groupKind) ?? []
      this.#readers.set(groupKind, [...readers, { controller, source }])
      if (spec.isView) this.#viewOf(groupKind)
    }
    if (controller.spec.target.isView) this.#viewOf(groupKindText(controller.spec.target))
  }

  #viewOf(groupKind: string): ViewStore {
    const known = this.#views.get(groupKind)
    if (known !== undefined) return known
    const store = new ViewStore()
    this.#views.set(groupKind, store)
    return store
  }

  start(): Outcome {
    const settlement = new Settlement()
    for (const { inputs } of this.#controllers) {
      for (const { spec } of inputs.filter((input) => input.spec.type === 'OneShot')) {
        const { group, kind, version = VIEW_VERSION } = spec
        const apiVersion = group === '' ? version : `${group}/${version}`
        const labels = { 'dcontroller.io/last-triggered': this.#now().toISOString() }
        const metadata = { name: 'one-shot-trigger', labels }
        this.#set(groupKindText(spec), '/one-shot-trigger', { apiVersion, kind, metadata })
      }
    }
    return this.#settle(settlement)
  }

  apply(...events: readonly ObjectEvent[]): Outcome {
    const settlement = new Settlement()
    for (const event of events) {
      const found = ingest(event)
      if ('problem' in found) {
        const objects = found.name === '' ? [] : [found.name]
        settlement.problem({ controller: '', step: 'event', objects, message: found.problem })
      } else this.#take(found, settlement)
    }
    return this.#settle(settlement)
  }

  sync(controller?: string): Outcome {
    const settlement = new Settlement()
    const chosen = this.#controllers.filter(
      ({ spec }) => controller === undefined || spec.name === controller,
    )
    if (chosen.length === 0) {
      const message = `there is no controller ${JSON.stringify(controller)}`
      settlement.problem({ controller: '', step: 'event', objects: [], message })
    }
    for (const state of chosen) this.#write(state, state.table.all(), settlement)
    return this.#settle(settlement)
  }

  views(): ViewObject[] {
    return [...this.#views.values()].flatMap((store) => store.objects() as ViewObject[])
  }

  explain(reference: ViewReference): Explanation[] {
    return explain(reference, this.views(), this.#controllers)
  }

  #take({ groupKind, key, object, deleted }: Ingested, settlement: Settlement): void {
    if (!this.#readers.has(groupKind) && !this.#views.has(groupKind)) return
    const isView = groupKind.startsWith(this.#viewPrefix)
    const old = isView ? this.#views.get(groupKind)?.get(key) : this.#objects.get(groupKind)?.get(key)
    if (deleted) this.#reportUnknown({ groupKind, key, object }, old, settlement)
    if (isView) this.#writeView(groupKind, { key, old, object: deleted ? undefined : object }, settlement)
    else this.#set(groupKind, key, deleted ? undefined : object)
  }

  /** Reports a deletion of an object that a controller never saw: the event was missed, or it never was. */
  #reportUnknown(
    { groupKind, key, object }: Omit<Ingested, 'deleted'>,
    old: JsonObject | undefined,
    settlement: Settlement,
  ): void {
    for (const { controller, source } of this.#readers.get(groupKind) ?? []) {
      const input = controller.inputs[source]
      if (!input?.state.misses({ old, object: undefined }, object)) continue
      settlement.problem({
        controller: controller.spec.name,
        step: 'event',
        objects: [`${input.spec.kind} ${displayKey(key)}`],
        message: `got delete for a nonexistent object ${displayKey(key)}`,
      })
    }
  }

  /** Writes a view's object from outside, as if by one more controller after all others. */
  #writeView(groupKind: string, change: TargetChange, settlement: Settlement): void {
    const written = this.#viewOf(groupKind).update(this.#controllers.length, change)
    settlement.touch(groupKind, change.key, written)
    this.#publish(groupKind, change.key, written)
  }

  #set(groupKind: string, key: string, object: JsonObject | undefined): void {
    const objects = this.#objects.get(groupKind) ?? new Map<string, JsonObject>()
    this.#objects.set(groupKind, objects)
    const old = objects.get(key)
    if (object === undefined) objects.delete(key)
    else objects.set(key, object)
    this.#publish(groupKind, key, { old, object })
  }

  #publish(groupKind: string, key: string, change: Transition): void {
    if (change.old === change.object) return
    for (const { controller, source } of this.#readers.get(groupKind) ?? []) {
      controller.note(source, key, change)
    }
  }

  /** Runs the controllers with pending changes, writers before readers, until none has any. */
  #settle(settlement: Settlement): Outcome {
    let runsLeft = MAX_RUNS_PER_CONTROLLER * this.#controllers.length
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      if (runsLeft-- === 0) this.#giveUp(next, settlement)
      else {
        const { changes, failures } = next.run()
        const isOfSecrets = this.#ofSecrets.has(next.spec)
        for (const failure of failures)
          settlement.failure(next, isOfSecrets ? withoutValue(failure) : failure)
        this.#write(next, changes, settlement)
      }
    }
    return settlement.outcome()
  }

  #next(): ControllerState | undefined {
    let best: ControllerState | undefined
    for (const controller of this.#controllers) {
      if (controller.isPending && (best === undefined || this.#placeOf(controller) < this.#placeOf(best))) {
        best = controller
      }
    }
    return best
  }

  #giveUp({ spec }: ControllerState, settlement: Settlement): void {
    for (const controller of this.#controllers) controller.forgetPending()
    const message =
      'the controllers write what they read and never settle; the change was applied only in part'
    settlement.problem({ controller: spec.name, step: 'target', objects: [], message })
  }

  readonly #placeOf = ({ number }: ControllerState): number => this.#places[number] ?? number

  #write(controller: ControllerState, changes: readonly TargetChange[], settlement: Settlement): void {
    const { target, name } = controller.spec
    const groupKind = groupKindText(target)
    const store = target.isView ? this.#viewOf(groupKind) : undefined
    for (const change of changes) {
      const { key, object } = change
      settlement.delta(controller, this.#placeOf(controller), change)
      if (store === undefined) continue
      const written =
        target.type === 'Patcher' ? store.patch(change) : store.update(controller.number, change)
      if (written !== undefined) {
        settlement.touch(groupKind, key, written)
        this.#publish(groupKind, key, written)
      } else if (object !== undefined) {
        const objects = [`${target.kind} ${displayKey(key)}`]
        settlement.problem({
          controller: name,
          step: 'target',
          objects,
          message: 'the object to patch does not exist',
        })
        controller.table.drop(key)
      }
    }
  }
}
