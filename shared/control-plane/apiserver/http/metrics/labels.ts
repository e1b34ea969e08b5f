import type { ResourceDefinition } from '../../registry/definition/resource-definition.ts'
import { type Exchange, header } from '../exchange.ts'
import { subresourceOf } from '../resource/subresource-of.ts'

/** Labels of requests, as in upstream's metrics (apiserver's pkg/endpoints/metrics). */
export interface RequestLabels {
  readonly component: string
  readonly dry_run: string
  readonly group: string
  readonly resource: string
  readonly scope: string
  readonly subresource: string
  readonly verb: string
  readonly version: string
}

const VERBS: Readonly<Record<string, string>> = {
  get: 'GET',
  list: 'LIST',
  watch: 'WATCH',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETECOLLECTION',
}
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT'])
const PATHS =
  /^\/(healthz|livez|readyz|metrics|version|openapi\/v2|openapi\/v3|api|apis|openid|\.well-known)(\/|$)/

/**
 * Returns the labels of a request. Values that clients may choose freely are only used if the server knows
 * them, so that their number is bounded.
 * @param definition the resource that the request is about, if there is one
 */
export function labelsOf(exchange: Exchange, definition: ResourceDefinition | undefined): RequestLabels {
  const { info, query } = exchange
  const dryRun = query.get('dryRun') === 'All' ? 'All' : ''
  if (!info.resourceRequest || definition === undefined) {
    const path = info.resourceRequest ? undefined : PATHS.exec(info.path)?.[1]
    const verb = METHODS.has(info.method) ? info.method : 'other'
    return { ...NOTHING, verb, subresource: path === undefined ? '' : `/${path}` }
  }
  const { group, version, plural } = definition
  const isKnown = subresourceOf({ definition }, info.subresource) !== undefined
  return {
    component: 'apiserver',
    dry_run: dryRun,
    group,
    resource: plural,
    scope: scopeOf(exchange),
    subresource: isKnown ? info.subresource : '',
    verb: verbOf(exchange),
    version,
  }
}

const NOTHING: RequestLabels = {
  component: '',
  dry_run: '',
  group: '',
  resource: '',
  scope: '',
  subresource: '',
  verb: '',
  version: '',
}

function scopeOf({ info }: Exchange): string {
  if (info.name !== '' || info.verb === 'create') return 'resource'
  return info.namespace === '' ? 'cluster' : 'namespace'
}

function verbOf({ info, request }: Exchange): string {
  const isApply =
    info.verb === 'patch' && header(request, 'content-type').startsWith('application/apply-patch')
  return isApply ? 'APPLY' : (VERBS[info.verb] ?? 'other')
}
