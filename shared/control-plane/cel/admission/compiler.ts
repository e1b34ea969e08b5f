import type { ObjectTypes } from '../check/scope.ts'
import { CelEnvironment, type Expression } from '../environment.ts'
import { CelError } from '../errors.ts'
import { type Library, overload, traversal } from '../library/index.ts'
import {
  BOOL,
  DYN,
  formatType,
  isExactly,
  listOf,
  NULL,
  opaqueOf,
  STRING,
  structOf,
  type Type,
} from '../types/type.ts'
import { AUTHORIZATION } from './authorizer.ts'
import { AdmissionTypes, NAMESPACE, REQUEST, VARIABLES } from './object-types.ts'

/** Names that an expression of a policy or a webhook may use, beside the object and the request. */
export interface ExpressionScope {
  readonly params?: boolean
  readonly authorizer?: boolean
  /** Whether it may make objects and JSON patches. */
  readonly patches?: boolean
}

/** Known types of `object`, `oldObject` and `params`; `objects` has the fields of those types. */
export interface KnownTypes {
  readonly object?: Type
  readonly params?: Type
  readonly objects: readonly ObjectTypes[]
}

/** Purpose of an expression, which decides the type that it must yield. */
export type Purpose =
  | 'condition'
  | 'message'
  | 'annotation'
  | 'variable'
  | 'applyConfiguration'
  | 'jsonPatch'
  | 'any'

const YIELDS: Readonly<Record<Purpose, readonly Type[]>> = {
  condition: [BOOL],
  message: [STRING],
  annotation: [STRING, NULL],
  applyConfiguration: [structOf('Object')],
  jsonPatch: [listOf(structOf('JSONPatch'))],
  variable: [],
  any: [],
}

const PATCHES: Library = {
  'jsonpatch.escapeKey': [
    overload(
      '(string) -> string',
      ([key]) => (key as string).replaceAll('~', '~0').replaceAll('/', '~1'),
      traversal(),
    ),
  ],
}

/** Reads the expressions of a policy or webhook; each can use the variables declared before it. */
export class ExpressionCompiler {
  readonly #known: KnownTypes
  readonly #variables: Map<string, Type> | undefined
  readonly #environments = new Map<string, CelEnvironment>()

  /** @param composed whether there are `variables` */
  constructor(composed: boolean, known: KnownTypes = { objects: [] }) {
    this.#known = known
    this.#variables = composed ? new Map() : undefined
  }

  /** Throws CelError with upstream's text where the text cannot be used for that. */
  compile(text: string, scope: ExpressionScope, purpose: Purpose): Expression {
    const expression = this.#read(text, scope)
    const wanted = YIELDS[purpose]
    if (wanted.length === 0 || wanted.some((type) => isExactly(type, expression.type))) return expression
    const shown = wanted.map(typeText)
    const what = shown.length === 1 ? shown[0] : `one of [${shown.join(' ')}]`
    throw new CelError(`must evaluate to ${what} but got ${typeText(expression.type)}`)
  }

  /** Reads a variable, and declares it even if it cannot be used. Throws as `compile`. */
  declare(name: string, text: string, scope: ExpressionScope): Expression {
    this.#variables?.set(name, DYN)
    const expression = this.compile(text, scope, 'variable')
    this.#variables?.set(name, declaredType(expression.type))
    return expression
  }

  #read(text: string, scope: ExpressionScope): Expression {
    try {
      return this.#environment(scope).compile(text)
    } catch (error) {
      if (!(error instanceof CelError)) throw error
      const failed = error.message.startsWith('ERROR') ? 'compilation failed: ' : ''
      throw new CelError(`${failed}${error.message}`, { cause: error })
    }
  }

  #environment(scope: ExpressionScope): CelEnvironment {
    const key = JSON.stringify([scope.params, scope.authorizer, scope.patches])
    const known = this.#environments.get(key) ?? this.#build(scope)
    this.#environments.set(key, known)
    return known
  }

  #build({ params = false, authorizer = false, patches = false }: ExpressionScope): CelEnvironment {
    const { object = DYN, params: paramsType = DYN, objects } = this.#known
    return CelEnvironment.create({
      variables: {
        object,
        oldObject: object,
        request: REQUEST,
        namespaceObject: NAMESPACE,
        ...(params ? { params: paramsType } : {}),
        ...(this.#variables ? { variables: VARIABLES } : {}),
        ...(authorizer
          ? {
              authorizer: opaqueOf('kubernetes.authorization.Authorizer'),
              'authorizer.requestResource': opaqueOf('kubernetes.authorization.ResourceCheck'),
            }
          : {}),
      },
      objects: new AdmissionTypes(this.#variables ?? new Map(), objects, patches),
      libraries: [AUTHORIZATION, ...(patches ? [PATCHES] : [])],
    })
  }
}

/** Types with fields are not passed on: a wrong field of such a variable fails on evaluation. */
function declaredType(type: Type): Type {
  if (type.kind === 'list') return listOf(declaredType(type.element))
  if (type.kind === 'map') return { ...type, key: declaredType(type.key), value: declaredType(type.value) }
  return type.kind === 'primitive' || type.kind === 'null' ? type : DYN
}

const LONG: Readonly<Record<string, string>> = {
  timestamp: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
  null: 'null_type',
}

/** Formats a type as cel-go does outside of errors about types. */
function typeText(type: Type): string {
  const text = formatType(type)
  return LONG[text] ?? text
}
