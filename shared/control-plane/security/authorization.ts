import { type ApiError, forbidden, forbiddenPath } from '../errors/index.ts'
import type { Authorize, RequestAttributes } from '../registry/index.ts'

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
