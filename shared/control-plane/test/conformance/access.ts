import { beforeAll, expect, it, vi } from 'vitest'
import { createRawClient, type Json, type RawClient } from '../../../../test/support/raw-client.ts'
import { accepted, describeIn, PATIENCE, type Subject } from './subject.ts'

const RBAC = '/apis/rbac.authorization.k8s.io/v1'

/** Describes access control: service accounts' tokens, roles, reviews. */
export function describeAccess(subject: Subject): void {
  describeIn(subject, 'access', (place) => {
    const roles = `${RBAC}/namespaces/access/roles`
    const bindings = `${RBAC}/namespaces/access/rolebindings`
    const as = (token: string): RawClient =>
      createRawClient(subject.server.kubeconfig, { authorization: `Bearer ${token}` })

    async function account(name: string): Promise<string> {
      await place.create('serviceaccounts', { metadata: { name } })
      const path = `${place.path('serviceaccounts', name)}/token`
      return accepted(await place.client.post(path, { spec: { expirationSeconds: 600 } })).status.token
    }

    async function grant(name: string, rules: Json[]): Promise<void> {
      accepted(await place.client.post(roles, { metadata: { name }, rules }))
      const subjects = [{ kind: 'ServiceAccount', name, namespace: place.namespace }]
      accepted(
        await place.client.post(bindings, { metadata: { name }, roleRef: { kind: 'Role', name }, subjects }),
      )
    }

    let reader: RawClient

    beforeAll(async () => {
      reader = as(await account('reader'))
      await grant('reader', [
        { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] },
        {
          apiGroups: [RBAC.split('/')[2]],
          resources: ['roles', 'rolebindings'],
          verbs: ['create', 'update'],
        },
      ])
      // The authorizer learns of roles by a watch of its own.
      await vi.waitFor(
        async () => expect((await reader.get(place.path('configmaps'))).status).toBe(200),
        PATIENCE,
      )
      return () => reader.close()
    })

    it('refuses a role that grants what its author does not hold, and names it', async () => {
      const wanted = {
        metadata: { name: 'more' },
        rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }],
      }
      const { status, body } = await reader.post(roles, wanted)
      expect(status).toBe(403)
      expect(body.message).toContain('is attempting to grant RBAC permissions not currently held:')
      expect(body.message).toContain('{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}')
      const held = {
        metadata: { name: 'less' },
        rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }],
      }
      expect((await reader.post(roles, held)).status).toBe(201)
    })

    it('refuses a binding to a role that holds more than its author', async () => {
      const binding = {
        metadata: { name: 'admin' },
        roleRef: { apiGroup: RBAC.split('/')[2], kind: 'ClusterRole', name: 'cluster-admin' },
        subjects: [{ kind: 'ServiceAccount', name: 'reader', namespace: 'access' }],
      }
      expect((await reader.post(bindings, binding)).status).toBe(403)
    })

    it('says what is wrong with a role', async () => {
      const role = await place.client.post(roles, {
        metadata: { name: 'bad' },
        rules: [{ resources: ['pods'] }],
      })
      expect(role.status).toBe(422)
      expect(role.body.details.causes.map(({ field }: Json) => field)).toEqual([
        'rules[0].verbs',
        'rules[0].apiGroups',
      ])
    })

    it('takes for a token what stands between the first space and the next', async () => {
      const token = await account('spaced')
      const asks = async (authorization: string): Promise<Json> => {
        const client = createRawClient(subject.server.kubeconfig, { authorization })
        const { status, body } = await client.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {})
        client.close()
        // Whoever shows no token is nobody, or anonymous.
        return body.status?.userInfo?.username ?? (status === 401 || status === 403 ? 'nobody' : status)
      }
      const username = 'system:serviceaccount:access:spaced'
      expect(await asks(`bearer ${token}`)).toBe(username)
      expect(await asks(`Bearer ${token} and more`)).toBe(username)
      expect(await asks(`Bearer  ${token}`)).toBe('nobody')
      expect(await asks(`Bearer\t${token}`)).toBe('nobody')
    })

    it('refuses the token of an account that is gone, and of one that was made again', async () => {
      const client = as(await account('gone'))
      const whoAmI = () => client.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {})
      expect((await whoAmI()).status).toBe(201)
      await place.client.delete(place.path('serviceaccounts', 'gone'))
      // kube-apiserver takes a token that it has just seen for ten seconds more.
      await vi.waitFor(async () => expect((await whoAmI()).status).toBe(401), PATIENCE)
      await place.create('serviceaccounts', { metadata: { name: 'gone' } })
      expect((await whoAmI()).status).toBe(401)
      client.close()
    })
  })
}
