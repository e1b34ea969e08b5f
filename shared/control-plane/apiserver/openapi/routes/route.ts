/** One operation of the API, as documents of both OpenAPI versions describe it. */
export interface Route {
  readonly path: string
  readonly method: 'get' | 'put' | 'post' | 'delete' | 'patch'
  readonly description: string
  readonly operationId: string
  readonly tag: string
  /** Keys of the recorded parameters; `name` is the one of `named`. */
  readonly parameters: readonly string[]
  /** The kind that `{name}` of the path is a name of. */
  readonly named?: string
  readonly body?: RouteBody
  /** Media types of the body. Default: no word of them. */
  readonly consumes?: readonly string[]
  readonly produces: readonly string[]
  /** Answers without the 401, which all routes have. */
  readonly answers: readonly RouteAnswer[]
  readonly action?: string
  readonly kind?: RouteKind
}

export interface RouteBody {
  /** Name of its schema. */
  readonly schema: string
  readonly required: boolean
}

export interface RouteAnswer {
  readonly code: 200 | 201 | 202
  /** Name of its schema; `string` for a text. */
  readonly schema: string
}

export interface RouteKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

export const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.'
export const OBJECT_TYPES: readonly string[] = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
]
