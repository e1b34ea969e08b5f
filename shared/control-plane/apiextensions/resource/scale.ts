import { quoted } from '../../../kubernetes/index.ts'
import { badRequest, internalError } from '../../apimachinery/errors/factories.ts'
import { type FieldError, invalidValue } from '../../apimachinery/errors/field.ts'
import { type JsonObject, type JsonValue, jsonText } from '../../apimachinery/json/exact-numbers.ts'
import {
  isInteger,
  isNumber,
  isObject,
  numberAt,
  objectAt,
  ownMember,
  stringAt,
} from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import type {
  ResourceDefinition,
  Subresource,
} from '../../apiserver/registry/definition/resource-definition.ts'
import { goFormat } from '../../apiserver/schema/go-format.ts'
import { goValueName } from '../../apiserver/schema/go-types.ts'
import { tableOf } from '../../apiserver/table/columns.ts'
import { goTypeOf } from '../go-type.ts'
import { parseJsonPath } from './json-path.ts'

const MOST_REPLICAS = 2 ** 31 - 1

/** `subresources.scale` of a version: where an object has its replicas. */
interface ScalePaths {
  readonly spec: string
  readonly status: string
  /** `''` where there is none. */
  readonly selector: string
}

export function scalePathsOf(version: JsonObject): ScalePaths | undefined {
  const { scale } = objectAt(version, 'subresources')
  if (!isObject(scale)) return undefined
  return {
    spec: stringAt(scale, 'specReplicasPath'),
    status: stringAt(scale, 'statusReplicasPath'),
    selector: stringAt(scale, 'labelSelectorPath'),
  }
}

const table = tableOf('scales', (scale) => ({
  Desired: numberAt(objectAt(scale, 'spec'), 'replicas') ?? 0,
  Available: numberAt(objectAt(scale, 'status'), 'replicas') ?? 0,
}))

/** Returns the replicas that a Scale asks for, by default 0. Throws a 400 for values that it cannot have. */
function wantedReplicas(scale: KubeObject): number | bigint {
  const { replicas = 0 } = objectAt(scale, 'spec')
  if (isInteger(replicas)) return replicas
  const given = isNumber(replicas) ? `number ${replicas}` : goValueName(replicas)
  throw badRequest(
    `Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal ${given} into Go struct field ScaleSpec.spec.replicas of type int32`,
  )
}

/** Makes the subresource `/scale`: the object as an autoscaling/v1 Scale. A write sets the replicas. */
export function scaleOf(
  owner: Pick<ResourceDefinition, 'plural' | 'namespaced'>,
  paths: ScalePaths,
): Subresource {
  return {
    kind: 'Scale',
    group: 'autoscaling',
    version: 'v1',
    verbs: ['get', 'patch', 'update'],
    shows: {
      definition: {
        group: 'autoscaling',
        version: 'v1',
        kind: 'Scale',
        plural: 'scales',
        singular: 'scale',
        namespaced: owner.namespaced,
        table,
      },
      of: (object) => asScale(object, paths),
      read: (object) => {
        if (parseJsonPath(paths.spec)?.first(object) === undefined) {
          throw internalError(`the spec replicas field ${quoted(paths.spec)} does not exist`)
        }
        return asScale(object, paths)
      },
    },
    merge: (submitted, stored) => {
      const replicas = wantedReplicas(submitted)
      const path = paths.spec.split('.').slice(1)
      return asObject(withValue(stored, path, replicas), submitted.metadata.resourceVersion)
    },
  }
}

function asScale(object: KubeObject, { spec, status, selector }: ScalePaths): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  const number = (path: string): number | bigint => {
    const value = parseJsonPath(path)?.first(object)
    return isNumber(value) ? value : 0
  }
  const labels = selector === '' ? undefined : parseJsonPath(selector)?.first(object)
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: Object.fromEntries(
      Object.entries({ name, namespace, uid, resourceVersion, creationTimestamp }).filter(
        ([, value]) => value !== undefined,
      ),
    ),
    spec: number(spec) === 0 ? {} : { replicas: number(spec) },
    status: {
      replicas: number(status),
      ...(typeof labels === 'string' && labels !== '' ? { selector: labels } : {}),
    },
  }
}

function asObject(value: JsonObject, resourceVersion = ''): KubeObject {
  const metadata = objectAt(value, 'metadata')
  const current = stringAt(metadata, 'resourceVersion')
  return { ...value, metadata: { ...metadata, resourceVersion: resourceVersion || current } }
}

function withValue(object: JsonObject, [name, ...rest]: readonly string[], value: JsonValue): JsonObject {
  if (name === undefined) return object
  const next = rest.length === 0 ? value : withValue(objectAt(object, name), rest, value)
  return { ...object, [name]: next }
}

/** Validates the wanted replicas, which must be a number that a Scale can have (ValidateScaleSpec). */
export function scaleSpecErrors(object: KubeObject, { spec }: ScalePaths): FieldError[] {
  return replicasErrors(object, spec)
}

/** Validates the present replicas alike, and the selector, which must be a text (ValidateScaleStatus). */
export function scaleStatusErrors(object: KubeObject, { status, selector }: ScalePaths): FieldError[] {
  return [
    ...replicasErrors(object, status),
    ...(selector === '' ? [] : accessorErrors(object, selector, 'string')),
  ]
}

function replicasErrors(object: KubeObject, path: string): FieldError[] {
  const wrong = accessorErrors(object, path, 'int64')
  const value = parseJsonPath(path)?.first(object)
  if (wrong.length > 0 || !isNumber(value)) return wrong
  if (value < 0) return [invalidValue(path, value, 'should be a non-negative integer')]
  return value > MOST_REPLICAS
    ? [invalidValue(path, value, `should be less than or equal to ${MOST_REPLICAS}`)]
    : []
}

/** Returns what keeps Go from reading a field: it, or something on the way to it, is of another type. */
function accessorErrors(object: KubeObject, path: string, type: 'int64' | 'string'): FieldError[] {
  const names = path.split('.').slice(1)
  let value: JsonValue | undefined = object
  for (const [index, name] of names.entries()) {
    if (!isObject(value)) return [accessorError(path, value, 'map[string]interface{}', type)]
    value = ownMember(value, name)
    if (value === undefined) return []
    if (value === null && index < names.length - 1) return []
  }
  return goTypeOf(value) === type ? [] : [accessorError(path, value, type, type)]
}

function accessorError(
  path: string,
  value: JsonValue,
  expected: string,
  type: 'int64' | 'string',
): FieldError {
  const shown = typeof value === 'object' ? jsonText(value) : goFormat(value)
  const why = `${path} accessor error: ${shown} is of the type ${goTypeOf(value)}, expected ${expected}`
  return invalidValue(path, type === 'int64' ? 0 : '', why)
}
