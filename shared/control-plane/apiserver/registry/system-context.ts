import type { WriteContext } from './definition/write-context.ts'
import type { ObjectReader } from './object-reader.ts'

/**
 * Makes the context of what the server writes by itself: as kube-apiserver, who may do everything. `now` is
 * in milliseconds since 1970.
 * Such writes bypass admission. Upstream's controllers are clients like others, which webhooks see. Here they
 * write in one step that nothing from outside may hold up.
 */
export function systemContext(objects: ObjectReader, now: number): WriteContext {
  return {
    user: { username: 'system:apiserver', groups: ['system:masters'] },
    dryRun: false,
    fieldManager: 'kube-apiserver',
    warnings: [],
    objects,
    authorize: () => ({ allowed: true }),
    authenticate: async () => undefined,
    issueToken: async () => {
      throw new Error('failed to issue a token: the server asks for none by itself')
    },
    now,
  }
}
