import { evaluatePipeline, type Origin } from '../pipeline/index.ts'
import { groupKindText } from './order.ts'
import type { ControllerState } from './state/index.ts'
import type { ControllerExplanation, Explanation, OriginObject, ViewObject, ViewReference } from './types.ts'

/** Maximum depth of views of views: a cycle of controllers has no end. */
const MAX_DEPTH = 10

/** Explains where view objects come from by evaluating the controllers again: costly with many objects. */
export function explain(
  reference: ViewReference,
  views: readonly ViewObject[],
  controllers: readonly ControllerState[],
): Explanation[] {
  return views
    .filter((object) => isMeant(reference, object))
    .map((object) => new Explainer(controllers, views).explain(object, 0))
}

const isMeant = ({ kind, namespace = '', name }: ViewReference, object: ViewObject): boolean =>
  object.metadata.name === name &&
  (object.metadata.namespace ?? '') === namespace &&
  (kind === undefined || object.kind === kind)

class Explainer {
  readonly #controllers: readonly ControllerState[]
  readonly #views: readonly ViewObject[]

  constructor(controllers: readonly ControllerState[], views: readonly ViewObject[]) {
    this.#controllers = controllers
    this.#views = views
  }

  explain(object: ViewObject, depth: number): Explanation {
    const groupKind = groupKindText({ group: groupOf(object), kind: object.kind })
    const writers = this.#controllers.filter(({ spec }) => groupKindText(spec.target) === groupKind)
    const explained = writers.map((writer) => this.#controller(writer, object, depth))
    return { object, controllers: explained.filter(({ origins }) => origins.length > 0) }
  }

  #controller(state: ControllerState, { metadata }: ViewObject, depth: number): ControllerExplanation {
    const key = `${metadata.namespace ?? ''}/${metadata.name}`
    const inputs = state.inputs.map((input) => input.state.objects)
    const rows = evaluatePipeline(state.pipeline, inputs).results.filter((result) => result.key === key)
    const origins = rows.flatMap((row) => row.origins)
    return {
      controller: state.spec.name,
      steps: stepsOf(state),
      origins: origins.map((origin) => ({
        objects: origin.objects.map((_, source) => this.#object(state, source, { origin, depth })),
        elements: origin.indexes,
      })),
    }
  }

  #object(
    state: ControllerState,
    source: number,
    { origin, depth }: { origin: Origin; depth: number },
  ): OriginObject {
    const key = origin.objects[source] ?? ''
    const found = state.inputs[source]?.state.get(key) as ViewObject | undefined
    const [namespace = '', ...name] = key.split('/')
    const view = found && this.#views.find((candidate) => isSameObject(candidate, found))
    return {
      apiVersion: String(found?.apiVersion ?? ''),
      kind: state.inputs[source]?.spec.kind ?? '',
      ...(namespace !== '' && { namespace }),
      name: name.join('/'),
      ...(view !== undefined && depth < MAX_DEPTH && { from: this.explain(view, depth + 1) }),
    }
  }
}

const isSameObject = (a: ViewObject, b: ViewObject): boolean =>
  a.apiVersion === b.apiVersion && isMeant({ kind: b.kind, ...b.metadata }, a)

const groupOf = ({ apiVersion }: ViewObject): string =>
  apiVersion.slice(0, Math.max(apiVersion.indexOf('/'), 0))

function stepsOf({ spec }: ControllerState): string[] {
  const { join, steps } = spec.pipeline
  const rest = steps.map((step) => (step.op === '@unwind' ? `${step.op} ${step.path.text}` : step.op))
  return join === undefined ? rest : ['@join', ...rest]
}
