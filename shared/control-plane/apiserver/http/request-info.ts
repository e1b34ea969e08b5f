import { quoted } from '../../../kubernetes/index.ts'
import { badRequest } from '../../apimachinery/errors/factories.ts'
import { integerOf } from '../../apimachinery/json/exact-numbers.ts'

/** Facts in the path and the method of a request. */
export interface RequestInfo {
  readonly method: string
  readonly path: string
  /** False for everything outside `/api/…/…` and `/apis/…/…/…`. */
  readonly resourceRequest: boolean
  /** Verb as authorizers know it, empty for a method without; of other paths the method in lower case. */
  readonly verb: string
  readonly group: string
  readonly version: string
  readonly namespace: string
  readonly resource: string
  readonly name: string
  readonly subresource: string
  /** True for a path that no resource has: with an empty part, or with more parts than any. */
  readonly malformed: boolean
  /** True for `/watch/` before the resource: a path of its own, for reads alone. */
  readonly watchPath: boolean
}

const VERBS: Record<string, string> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
}
const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize'])

export function requestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  // Decoded first: an encoded slash parts names as a plain one does, so that no name has one.
  const parts = decodePath(path).replace(/\/$/, '').split('/').slice(1)
  const none = {
    group: '',
    version: '',
    namespace: '',
    resource: '',
    name: '',
    subresource: '',
    malformed: false,
    watchPath: false,
  }
  const core = parts[0] === 'api'
  const depth = core ? 2 : 3
  if ((!core && parts[0] !== 'apis') || parts.length <= depth) {
    return { method, path, resourceRequest: false, verb: method.toLowerCase(), ...none }
  }
  const [group = '', version = ''] = core ? ['', parts[1]] : [parts[1], parts[2]]
  const rest = parts.slice(depth)
  const watchPath = rest[0] === 'watch'
  const target = targetOf(watchPath ? rest.slice(1) : rest)
  const verb = watchPath ? 'watch' : verbOf(method, target.name, query)
  return { method, path, resourceRequest: true, verb, group, version, ...target, watchPath }
}

/** Returns the namespace for authorization and the audit log. For a Namespace it is the object itself. */
export const namespaceOf = ({ resource, name, namespace }: RequestInfo): string =>
  resource === 'namespaces' ? name : namespace

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

function targetOf(parts: readonly string[]) {
  const inNamespace =
    parts[0] === 'namespaces' && parts.length > 2 && !NAMESPACE_SUBRESOURCES.has(parts[2] ?? '')
  const [resource = '', name = '', subresource = ''] = inNamespace ? parts.slice(2) : parts
  const namespace = inNamespace ? (parts[1] ?? '') : ''
  const malformed = parts.includes('') || parts.length > (inNamespace ? 5 : 3)
  return { namespace, resource, name, subresource, malformed }
}

function verbOf(method: string, name: string, query: URLSearchParams): string {
  const verb = VERBS[method] ?? ''
  if (name !== '') return verb
  if (verb === 'get') return isWatch(query) ? 'watch' : 'list'
  return verb === 'delete' ? 'deletecollection' : verb
}

const LONG_SUBRESOURCES = new Set(['attach', 'exec', 'log', 'portforward', 'proxy'])

/** Watches, and what upstream takes for streams: limits of number and time of others do not bind them. */
export const isLongRunning = ({ verb, subresource }: Pick<RequestInfo, 'verb' | 'subresource'>): boolean =>
  verb === 'watch' || LONG_SUBRESOURCES.has(subresource)

/** Reports whether a query asks for a watch: `watch` has any value but `0` and `false`. */
export function isWatch(query: URLSearchParams): boolean {
  return queryBoolean(query, 'watch') ?? false
}

/** Reads a boolean parameter as the API does; undefined when it is absent. */
export function queryBoolean(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name)
  return value === null ? undefined : value !== '0' && value.toLowerCase() !== 'false'
}

/** Reads an integer as `queryInt64` does, but returns the nearest number. */
export function queryInteger(query: URLSearchParams, name: string): number | undefined {
  const value = queryInt64(query, name)
  return value === undefined ? undefined : Number(value)
}

/** Reads an integer parameter as the API does; undefined when absent. Throws a 400 for no int64. */
export function queryInt64(query: URLSearchParams, name: string): number | bigint | undefined {
  const value = query.get(name)
  if (value === null) return undefined
  const wrong = (why: string) => badRequest(`strconv.ParseInt: parsing ${quoted(value)}: ${why}`)
  if (!/^[+-]?\d+$/.test(value)) throw wrong('invalid syntax')
  const number = BigInt(value.replace('+', ''))
  if (BigInt.asIntN(64, number) !== number) throw wrong('value out of range')
  return integerOf(number)
}
