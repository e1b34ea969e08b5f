import type { Authorize } from '../../apiserver/registry/access.ts'
import type { ObjectReader } from '../../apiserver/registry/object-reader.ts'
import { grantsOf, type MissingRole } from './grants.ts'
import { allows } from './rule.ts'

/** Members may do everything, whatever the roles say: the way back in where they say too little. */
const MASTERS = 'system:masters'

/** Describes a missing role as upstream's informers do: by kind. */
export const describeMissing = ({ kind, name }: MissingRole): string =>
  `${kind.toLowerCase()}.rbac.authorization.k8s.io "${name}" not found`

/** Joins errors as Go's aggregate of errors does. */
export const aggregated = (errors: ReadonlySet<string>): string =>
  errors.size === 1 ? [...errors].join() : `[${[...errors].join(', ')}]`

/** Authorizes by the roles and bindings that the server holds (rbac.authorization.k8s.io/v1). */
export function createRbacAuthorizer(objects: ObjectReader): Authorize {
  return (attributes) => {
    if (attributes.user.groups.includes(MASTERS)) return { allowed: true }
    const missing = new Set<string>()
    for (const grant of grantsOf(attributes.user, attributes.namespace, objects)) {
      if (grant.rules.some((rule) => allows(rule, attributes))) return { allowed: true, reason: grant.reason }
      if (grant.missing) missing.add(describeMissing(grant.missing))
    }
    return missing.size === 0
      ? { allowed: false }
      : { allowed: false, reason: `RBAC: ${aggregated(missing)}` }
  }
}
