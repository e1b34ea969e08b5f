import { quoted } from '../../../kubernetes/index.ts'
import { forbidden, forbiddenPath } from '../../apimachinery/errors/factories.ts'
import type { ApiError } from '../../apimachinery/errors/status.ts'
import type { Authorize, RequestAttributes } from '../../apiserver/registry/access.ts'

const OPEN_PATHS = /^\/(healthz|livez|readyz|version)(\/|$)/

/** Allows everything to authenticated users, and health and version to others. This is the default. */
export const allowAuthenticated: Authorize = ({ user, resourceRequest, path }) =>
  user.groups.includes('system:authenticated') || (!resourceRequest && OPEN_PATHS.test(path))

/** Makes the 403 for a request that was refused, with the authorizer's reason if there is one. */
export function refusal(attributes: RequestAttributes, reason?: string): ApiError {
  const because = reason ? `: ${reason}` : ''
  const { user, verb, path, group, resource, subresource, namespace, name } = attributes
  const subject = `User ${quoted(user.username)} cannot ${verb}`
  if (!attributes.resourceRequest) return forbiddenPath(`${subject} path ${quoted(path)}${because}`)
  const what = subresource ? `${resource}/${subresource}` : resource
  const where = namespace ? `in the namespace ${quoted(namespace)}` : 'at the cluster scope'
  const why = `${subject} resource ${quoted(what)} in API group ${quoted(group)} ${where}${because}`
  return forbidden({ group, plural: resource }, name, why)
}
