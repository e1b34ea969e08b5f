import { ownMember } from '../../apimachinery/json/values.ts'
import type { ObjectTypes } from '../check/scope.ts'
import { BOOL, DYN, INT, listOf, mapOf, STRING, structOf, TIMESTAMP, type Type } from '../types/type.ts'

type Fields = Readonly<Record<string, Type>>

const strings = (...names: string[]): Fields => Object.fromEntries(names.map((name) => [name, STRING]))

/** Fields of the types that expressions of admission know, as upstream declares them. */
const DECLARED: Readonly<Record<string, Fields>> = {
  'kubernetes.AdmissionRequest': {
    kind: structOf('kubernetes.GroupVersionKind'),
    resource: structOf('kubernetes.GroupVersionResource'),
    requestKind: structOf('kubernetes.GroupVersionKind'),
    requestResource: structOf('kubernetes.GroupVersionResource'),
    userInfo: structOf('kubernetes.UserInfo'),
    dryRun: BOOL,
    options: DYN,
    ...strings('subResource', 'requestSubResource', 'name', 'namespace', 'operation'),
  },
  'kubernetes.GroupVersionKind': strings('group', 'version', 'kind'),
  'kubernetes.GroupVersionResource': strings('group', 'version', 'resource'),
  'kubernetes.UserInfo': {
    ...strings('username', 'uid'),
    groups: listOf(STRING),
    extra: mapOf(STRING, listOf(STRING)),
  },
  'kubernetes.Namespace': {
    metadata: structOf('kubernetes.NamespaceMetadata'),
    spec: structOf('kubernetes.NamespaceSpec'),
    status: structOf('kubernetes.NamespaceStatus'),
  },
  'kubernetes.NamespaceMetadata': {
    ...strings('name', 'generateName', 'namespace', 'UID', 'resourceVersion'),
    labels: mapOf(STRING, STRING),
    annotations: mapOf(STRING, STRING),
    creationTimestamp: TIMESTAMP,
    deletionTimestamp: TIMESTAMP,
    deletionGracePeriodSeconds: INT,
    generation: INT,
    finalizers: listOf(STRING),
  },
  'kubernetes.NamespaceSpec': { finalizers: listOf(STRING) },
  'kubernetes.NamespaceStatus': {
    conditions: listOf(structOf('kubernetes.NamespaceCondition')),
    phase: STRING,
  },
  'kubernetes.NamespaceCondition': {
    ...strings('status', 'type', 'message', 'reason'),
    lastTransitionTime: TIMESTAMP,
  },
}

export const REQUEST = structOf('kubernetes.AdmissionRequest')
export const NAMESPACE = structOf('kubernetes.Namespace')
export const VARIABLES = structOf('kubernetes.variables')

/** Types of a policy's variables, by their names. */
type VariableTypes = ReadonlyMap<string, Type>

const JSON_PATCH: Fields = { ...strings('op', 'path', 'from'), value: DYN }

/** The types that expressions of admission know; `Object`, `Object.spec` and so on have any field. */
export class AdmissionTypes implements ObjectTypes {
  readonly #variables: VariableTypes
  readonly #others: readonly ObjectTypes[]
  readonly #patches: boolean

  /** @param patches whether expressions may make objects and JSON patches */
  constructor(variables: VariableTypes, others: readonly ObjectTypes[], patches: boolean) {
    this.#variables = variables
    this.#others = others
    this.#patches = patches
  }

  has(typeName: string): boolean {
    if (Object.hasOwn(DECLARED, typeName) || typeName === 'kubernetes.variables') return true
    return this.#isPatchType(typeName) || this.#others.some((types) => types.has(typeName))
  }

  field(typeName: string, field: string): Type | undefined {
    if (typeName === 'kubernetes.variables') return this.#variables.get(field)
    if (this.#isPatchType(typeName)) return typeName === 'JSONPatch' ? ownMember(JSON_PATCH, field) : DYN
    const declared = ownMember(DECLARED, typeName)
    if (declared) return ownMember(declared, field)
    return this.#others.find((types) => types.has(typeName))?.field(typeName, field)
  }

  #isPatchType(name: string): boolean {
    return this.#patches && (name === 'JSONPatch' || name === 'Object' || name.startsWith('Object.'))
  }
}
