import type { Authorize, ObjectReader } from '../registry/index.ts'
import { grantsOf } from './grants.ts'
import { allows } from './rule.ts'

/** Members may do everything, whatever the roles say: the way back in where they say too little. */
const MASTERS = 'system:masters'

/** Role-based access control by the roles and bindings that the server holds, as rbac.authorization.k8s.io/v1 describes it. */
export function createRbacAuthorizer(objects: ObjectReader): Authorize {
  return (attributes) => {
    if (attributes.user.groups.includes(MASTERS)) return { allowed: true }
    for (const { rules, reason } of grantsOf(attributes.user, attributes.namespace, objects)) {
      if (rules.some((rule) => allows(rule, attributes))) return { allowed: true, reason }
    }
    return { allowed: false }
  }
}
