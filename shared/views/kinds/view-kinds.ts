import type { Expression, MapEntry } from '../expressions/index.ts'
import type { ControllerSpec, OperatorSpec, ResourceSpec } from '../spec/index.ts'
import { VIEW_VERSION } from '../spec/index.ts'

/** A kind of view of a spec, as far as the spec says what its objects look like. */
export interface ViewKind {
  readonly group: string
  readonly version: string
  readonly kind: string
  /** Members of `spec` of its objects that the spec names, in their order. */
  readonly fields: readonly string[]
}

/**
 * Lists every view of a spec, once, in the order in which they come up.
 * @example
 * ```ts
 * viewKinds(await loadSpecFile('names.yaml')).map(({ kind }) => kind) // => ['Name']
 * ```
 */
export function viewKinds({ controllers }: OperatorSpec): ViewKind[] {
  const kinds = new Map<string, ViewKind>()
  const add = ({ group, kind }: ResourceSpec, fields: readonly string[]): void => {
    const known = kinds.get(kind)
    if (known === undefined || known.fields.length === 0)
      kinds.set(kind, { group, version: VIEW_VERSION, kind, fields })
  }
  for (const controller of controllers) {
    for (const source of controller.sources) if (source.isView) add(source, [])
    if (controller.target.isView) add(controller.target, fieldsOf(controller))
  }
  return [...kinds.values()]
}

/** Lists the fields of `spec`, as the last projection says that names them rather than copying all. */
function fieldsOf({ pipeline: { steps } }: ControllerSpec): string[] {
  for (const step of steps.toReversed()) {
    if (step.op !== '@project') continue
    const fields = step.parts.flatMap((part) => entriesOf(part).flatMap(specFields))
    if (fields.length > 0) return [...new Set(fields)]
  }
  return []
}

const specFields = ({ key, value }: MapEntry): string[] =>
  key === 'spec' ? entriesOf(value).flatMap((entry) => (typeof entry.key === 'string' ? entry.key : [])) : []

const entriesOf = (expression: Expression): readonly MapEntry[] =>
  expression.kind === 'map' ? expression.entries : []
