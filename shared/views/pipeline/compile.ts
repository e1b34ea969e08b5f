import { EvaluationError } from '../errors.ts'
import { compileExpression, type Environment, type Evaluate, type Scope } from '../expressions/index.ts'
import {
  canonicalText,
  excerpt,
  isList,
  isObject,
  type Json,
  type JsonObject,
  member,
} from '../json/index.ts'
import { type Path, readPath, writePath } from '../jsonpath/index.ts'
import type { ControllerSpec, GatherSpec, StepSpec, TargetSpec } from '../spec/index.ts'
import type { CompiledGather } from './gather.ts'
import { type CompiledJoin, compileJoin } from './join.ts'
import { objectKey } from './object-key.ts'
import { elementOf, type Member, type Result, type Row } from './row.ts'

/**
 * A pipeline ready to run: perhaps a join, then steps on single rows, cut where a `@gather` needs a whole
 * group: `segments[0]`, `gathers[0]`, `segments[1]`, …, the last segment.
 */
export interface CompiledPipeline {
  readonly join: CompiledJoin | undefined
  readonly segments: readonly Segment<Member>[]
  readonly gathers: readonly CompiledGather[]
  readonly last: Segment<Result>
}

/** Steps that need no other row. */
export interface Segment<Output extends Row> {
  readonly steps: readonly Step[]
  /** Last step: turns a row into a member of a group, or into an object for the target. */
  readonly finish: Step<Output>
}

export interface Step<Output extends Row = Row> {
  readonly index: number
  readonly op: string
  /** @throws EvaluationError */
  readonly run: (row: Row) => readonly Output[]
}

export function compilePipeline(controller: ControllerSpec, environment: Environment): CompiledPipeline {
  const { pipeline, sources, target } = controller
  const kinds = sources.filter(({ type }) => type !== 'Periodic').map(({ kind }) => kind)
  const segments: Segment<Member>[] = []
  const gathers: CompiledGather[] = []
  let steps: Step[] = []
  for (const step of pipeline.steps) {
    if (step.op === '@gather') {
      segments.push({ steps, finish: compileMember(step, environment) })
      gathers.push(step)
      steps = []
    } else steps.push(compileStep(step, environment))
  }
  const end = (pipeline.join === undefined ? 0 : 1) + pipeline.steps.length
  return {
    join: pipeline.join && compileJoin(pipeline.join, kinds, environment),
    segments,
    gathers,
    last: { steps, finish: compileResult(target, end) },
  }
}

function compileStep(step: Exclude<StepSpec, GatherSpec>, environment: Environment): Step {
  const { op, index } = step
  switch (step.op) {
    case '@select': {
      const condition = compileExpression(step.condition)
      return { op, index, run: (row) => (selects(condition, row.value, environment) ? [row] : []) }
    }
    case '@project': {
      const parts = step.parts.map(compileExpression)
      return {
        op,
        index,
        run: (row) => [{ ...row, value: project(parts, { root: row.value, environment }) }],
      }
    }
    case '@unwind':
      return { op, index, run: (row) => unwind(step.path.path, row) }
  }
}

function selects(condition: Evaluate, root: Json, environment: Environment): boolean {
  const found = condition({ root, environment })
  if (typeof found === 'boolean') return found
  throw new EvaluationError(`expected true or false, found ${excerpt(found)}`)
}

/** Compiles the step that makes rows members of groups; those with a null key or value are of none. */
function compileMember({ op, index, key, value }: GatherSpec, environment: Environment): Step<Member> {
  const groupOf = compileExpression(key)
  const itemOf = compileExpression(value)
  const run = (row: Row): Member[] => {
    const scope = { root: row.value, environment }
    const group = groupOf(scope)
    const item = itemOf(scope)
    return group === null || item === null ? [] : [{ ...row, group: canonicalText(group), item }]
  }
  return { op, index, run }
}

function compileResult(target: TargetSpec, index: number): Step<Result> {
  const kind = target.kind
  const apiVersion = apiVersionOf(target)
  const run = (row: Row): Result[] => {
    const object: JsonObject = isObject(row.value) ? { ...row.value, apiVersion, kind } : {}
    return [{ ...row, value: object, key: objectKey(object) }]
  }
  return { op: 'target', index, run }
}

/** Returns the apiVersion of a target. If the spec gives no version, it is `v1`. */
const apiVersionOf = ({ group, version = 'v1' }: TargetSpec): string =>
  group === '' ? version : `${group}/${version}`

/** Evaluates every part on its own and merges the results from left to right. */
function project(parts: readonly Evaluate[], scope: Scope): JsonObject {
  return parts.map((part) => resultOf(part, scope)).reduce(merged)
}

function resultOf(part: Evaluate, scope: Scope): JsonObject {
  const value = part(scope)
  if (isObject(value)) return value
  throw new EvaluationError(`expected a map, found ${excerpt(value)}`)
}

/** Maps are merged, lists put behind each other, everything else is replaced; null replaces nothing. */
function merged(left: JsonObject, right: JsonObject): JsonObject {
  const entries = Object.entries(right).map(([key, value]) => {
    const before = member(left, key)
    return [key, before === undefined ? value : mergedValue(key, before, value)] as const
  })
  return { ...left, ...Object.fromEntries(entries) }
}

function mergedValue(key: string, before: Json, value: Json): Json {
  if (isObject(before) && isObject(value)) return merged(before, value)
  if (isList(before) && isList(value)) return [...before, ...value]
  if (value === null && before !== null) {
    throw new EvaluationError(`cannot merge null into ${JSON.stringify(key)}, which is ${excerpt(before)}`)
  }
  return value
}

/** Makes a row per element of the list at the path, named `<name>-<index>`; none without a list. */
function unwind(path: Path, row: Row): readonly Row[] {
  const list = readPath(path, row.value) ?? null
  if (list === null) return []
  if (!isList(list)) throw new EvaluationError(`expected a list, found ${excerpt(list)}`)
  if (list.length === 0) return []
  const name = nameOf(row.value)
  return list.map((item, index) => {
    const value = writePath(row.value, path, item)
    return elementOf(row, index, renamed(value, `${name}-${index}`))
  })
}

function nameOf(value: Json): string {
  const metadata = isObject(value) ? member(value, 'metadata') : undefined
  const name = isObject(metadata) ? member(metadata, 'name') : undefined
  if (typeof name === 'string' && name !== '') return name
  throw new EvaluationError(`expected a text in metadata.name, found ${excerpt(name ?? null)}`)
}

function renamed(value: Json, name: string): Json {
  const object = isObject(value) ? value : {}
  const metadata = member(object, 'metadata')
  return { ...object, metadata: { ...(isObject(metadata) ? metadata : {}), name } }
}
