import { type ApiError, forbidden, forbiddenPath } from '../errors/index.ts'
import type { User } from '../registry/index.ts'

/** What a request wants to do, as authorizers are asked. Either a resource or a path. */
export interface RequestAttributes {
  readonly user: User
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; the method in lower case for paths. */
  readonly verb: string
  readonly path: string
  readonly resourceRequest: boolean
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
}

export type Authorize = (attributes: RequestAttributes) => boolean

const OPEN_PATHS = /^\/(healthz|livez|readyz|version)(\/|$)/

/** Default: everybody who is known may do everything; others may look at the server's health and version. */
export const allowAuthenticated: Authorize = ({ user, resourceRequest, path }) =>
  user.groups.includes('system:authenticated') || (!resourceRequest && OPEN_PATHS.test(path))

/** The 403 for a request that was refused. */
export function refusal(attributes: RequestAttributes): ApiError {
  const { user, verb, path, group, resource, subresource, namespace, name } = attributes
  const subject = `User ${JSON.stringify(user.username)} cannot ${verb}`
  if (!attributes.resourceRequest) return forbiddenPath(`${subject} path ${JSON.stringify(path)}`)
  const what = subresource ? `${resource}/${subresource}` : resource
  const where = namespace ? `in the namespace ${JSON.stringify(namespace)}` : 'at the cluster scope'
  const why = `${subject} resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)} ${where}`
  return forbidden({ group, plural: resource }, name, why)
}
