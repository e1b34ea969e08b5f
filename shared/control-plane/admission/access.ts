import type { User } from '../apiserver/registry/access.ts'
import type { AdmissionAttributes } from '../apiserver/registry/admission/types.ts'
import type { AskAccess } from '../cel/index.ts'

/** Creates the `authorizer` of expressions: it asks the server's for the user or for a service account. */
export function accessOf({ authorize, user }: Pick<AdmissionAttributes, 'authorize' | 'user'>): AskAccess {
  return ({ account, path, ...question }) => {
    const { allowed, reason = '' } = authorize({
      ...question,
      path,
      user: account ? serviceAccountUser(account) : user,
      resourceRequest: path === '',
      version: '*',
    })
    return { allowed, reason, error: '' }
  }
}

function serviceAccountUser({ namespace, name }: { namespace: string; name: string }): User {
  return {
    username: `system:serviceaccount:${namespace}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  }
}
