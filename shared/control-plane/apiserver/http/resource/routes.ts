import { methodNotAllowed, methodNotSupported } from '../../../apimachinery/errors/factories.ts'
import { ALL_VERBS, type Endpoint } from '../../registry/definition/resource-definition.ts'
import { isQuestion } from '../../registry/writes/answer.ts'
import type { Exchange } from '../exchange.ts'
import type { RequestInfo } from '../request-info.ts'

type Routed = Pick<Endpoint, 'definition'>

/** Verbs for which namespaced objects can be asked over all namespaces as well. */
const ACROSS_NAMESPACES = ['list', 'watch']
const ON_COLLECTION = ['list', 'create', 'deletecollection', 'watch']

/** Reports whether the resource has the request's path for some method. False is a 404, object or not. */
export function isRouted(info: RequestInfo, endpoint: Endpoint): boolean {
  const { definition } = endpoint
  if (info.malformed || (info.namespace !== '' && !definition.namespaced)) return false
  if (definition.namespaced && info.namespace === '' && !isAcrossNamespaces(info, endpoint)) return false
  // A question has no name by which it could be found again.
  if (isQuestion(endpoint)) return info.name === '' && !info.watchPath
  return !info.watchPath || info.subresource === ''
}

function isAcrossNamespaces({ verb, name }: RequestInfo, { definition }: Routed): boolean {
  // Upstream routes custom resources by their verbs, and others by their paths.
  if (definition.codec) return ACROSS_NAMESPACES.includes(verb)
  return name === '' && verbsOf(definition).some((offered) => ACROSS_NAMESPACES.includes(offered))
}

const verbsOf = ({ verbs = ALL_VERBS }: Routed['definition']): readonly string[] => verbs

/** Throws a 405 for verbs that the resource does not have, or not on this path. */
export function checkVerb({ info }: Pick<Exchange, 'info'>, { definition }: Routed): void {
  const needsNamespace = definition.namespaced && info.namespace === ''
  const misplaced =
    (info.name === '' ? !ON_COLLECTION.includes(info.verb) : ['create', 'list'].includes(info.verb)) ||
    (needsNamespace && !ACROSS_NAMESPACES.includes(info.verb)) ||
    (info.method === 'HEAD' && (!definition.codec || info.verb === 'watch')) ||
    // A path with `watch` in it is one for reads, whatever the method.
    (info.verb === 'watch' && info.method !== 'GET')
  if (definition.codec && info.verb === '') throw methodNotSupported(definition, info.verb)
  if (misplaced || !verbsOf(definition).includes(info.verb)) throw methodNotAllowed()
}
