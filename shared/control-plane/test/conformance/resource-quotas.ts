import { expect, it } from 'vitest'
import type { Json } from '../../../../test/support/raw-client.ts'
import { describeRefusals } from './refusals.ts'
import { accepted, describeIn, PATIENCE, type Subject } from './subject.ts'

/** Describes quotas without a controller: the tests set a quota's status. */
export function describeResourceQuotas(subject: Subject): void {
  describeIn(subject, 'quotas', (place) => {
    const path = (name = '') => place.path('resourcequotas') + (name && `/${name}`)
    const zero = (hard: Json): Json => Object.fromEntries(Object.keys(hard).map((name) => [name, '0']))
    /** Creates a quota whose use is counted already. */
    async function counted(
      name: string,
      hard: Json,
      spec: Json = {},
      used: Json = zero(hard),
    ): Promise<Json> {
      await place.create('resourcequotas', { metadata: { name }, spec: { hard, ...spec } })
      const answer = await place.client.patch(`${path(name)}/status`, { status: { hard, used } })
      return accepted(answer)
    }
    const usedOf = async (name: string): Promise<Json> =>
      accepted(await place.client.get(path(name))).status.used
    /** Asks again for a while. Real servers go by quotas as they saw them a moment ago. */
    const eventually = (ask: () => Promise<unknown>) => expect.poll(ask, PATIENCE)
    const gone = async (name: string) => accepted(await place.client.delete(path(name)))

    it('begin without a status and come back as they are written', async () => {
      const hard = { pods: 5, 'requests.cpu': '1000m', memory: '1.5Gi', 'count/secrets': '3' }
      const status = { hard: { pods: '1' }, used: {} }
      const made = await place.create('resourcequotas', {
        metadata: { name: 'made' },
        spec: { hard },
        status,
      })
      expect(made.spec.hard).toEqual({
        'count/secrets': '3',
        memory: '1536Mi',
        pods: '5',
        'requests.cpu': '1',
      })
      expect(made.status).toEqual({})
      expect(made.metadata.generation).toBeUndefined()
      expect(await gone('made')).toMatchObject({ kind: 'ResourceQuota', metadata: { name: 'made' } })
    })

    describeRefusals(place, 'resource-quotas')

    it('keep their scopes, and warn of requests above limits', async () => {
      const hard = { 'requests.cpu': '2', 'limits.cpu': '1' }
      const made = await place.client.post(path(), {
        metadata: { name: 'fixed' },
        spec: { hard, scopes: ['NotTerminating'] },
      })
      expect(made.headers.warning).toBe(
        '299 - "ResourceQuota requests.cpu (2) should be less than limits.cpu (1)"',
      )
      const { status, body } = await place.client.patch(path('fixed'), { spec: { scopes: ['Terminating'] } })
      expect(status).toBe(422)
      expect(body.message).toBe(
        'ResourceQuota "fixed" is invalid: spec.scopes: Invalid value: ["Terminating"]: field is immutable',
      )
      await gone('fixed')
    })

    it('let objects in until there are enough of them', async () => {
      await counted('objects', { 'count/configmaps': '2', configmaps: '5' })
      await eventually(async () => {
        await place.client.post(place.path('configmaps'), { metadata: { generateName: 'c-' } })
        return (await usedOf('objects'))['count/configmaps']
      }).toBe('2')
      expect(await usedOf('objects')).toEqual({ configmaps: '2', 'count/configmaps': '2' })
      const { status, body } = await place.client.post(place.path('configmaps'), {
        metadata: { name: 'more' },
      })
      expect(status).toBe(403)
      expect(body.message).toBe(
        'configmaps "more" is forbidden: exceeded quota: objects, requested: count/configmaps=1, used: count/configmaps=2, limited: count/configmaps=2',
      )
      const dryRun = await place.client.post(`${place.path('configmaps')}?dryRun=All`, {
        metadata: { name: 'more' },
      })
      expect(dryRun.status).toBe(403)
      await gone('objects')
    })

    it('limit the ports and balancers of Services, also of those that change', async () => {
      const hard = { services: '5', 'services.nodeports': '2', 'services.loadbalancers': '0' }
      await counted('services', hard)
      const service = (name: string, type: string, ports: number[]): Json => ({
        metadata: { name },
        spec: { type, ports: ports.map((port) => ({ name: `p${port}`, port })) },
      })
      let names = 0
      await eventually(async () => {
        const made = await place.client.post(
          place.path('services'),
          service(`balanced-${names++}`, 'LoadBalancer', [80]),
        )
        return made.body.message
      }).toMatch(
        /exceeded quota: services, requested: services.loadbalancers=1, used: services.loadbalancers=0, limited: services.loadbalancers=0$/,
      )
      const before = Number((await usedOf('services')).services)
      await place.create('services', service('plain', 'ClusterIP', [1, 2]))
      expect(await usedOf('services')).toMatchObject({
        services: String(before + 1),
        'services.nodeports': '0',
      })
      const changed = await place.client.patch(place.path('services', 'plain'), {
        spec: { type: 'NodePort' },
      })
      expect(changed.status).toBe(200)
      expect(await usedOf('services')).toMatchObject({
        services: String(before + 1),
        'services.nodeports': '2',
      })
      const { status, body } = await place.client.post(
        place.path('services'),
        service('more', 'NodePort', [1]),
      )
      expect(status).toBe(403)
      expect(body.message).toBe(
        'services "more" is forbidden: exceeded quota: services, requested: services.nodeports=1, used: services.nodeports=2, limited: services.nodeports=2',
      )
      await gone('services')
    })

    const pod = (name: string, resources: Json = {}, spec: Json = {}): Json => ({
      metadata: { name },
      spec: { containers: [{ name: 'c', image: 'i', resources }], ...spec },
    })

    it('limit what pods ask for, and want them to say it', async () => {
      accepted(
        await place.client
          .put(place.path('serviceaccounts', 'default'), { metadata: { name: 'default' } })
          .then((answer) =>
            answer.status === 404
              ? place.client.post(place.path('serviceaccounts'), { metadata: { name: 'default' } })
              : answer,
          ),
      )
      await counted('compute', { pods: '3', 'requests.cpu': '1', 'limits.memory': '1Gi' })
      await eventually(
        async () => (await place.client.post(place.path('pods'), pod('silent'))).body.message,
      ).toBe(
        'pods "silent" is forbidden: failed quota: compute: must specify limits.memory for: c; requests.cpu for: c',
      )
      const some = { requests: { cpu: '700m' }, limits: { memory: '512Mi' } }
      await place.create('pods', pod('first', some))
      expect(await usedOf('compute')).toEqual({ 'limits.memory': '512Mi', pods: '1', 'requests.cpu': '700m' })
      const { body } = await place.client.post(place.path('pods'), pod('second', some))
      expect(body.message).toBe(
        'pods "second" is forbidden: exceeded quota: compute, requested: requests.cpu=700m, used: requests.cpu=700m, limited: requests.cpu=1',
      )
      const started = {
        initContainers: [
          { name: 'i', image: 'i', resources: { requests: { cpu: '300m' }, limits: { memory: '64Mi' } } },
        ],
      }
      await place.create(
        'pods',
        pod('third', { requests: { cpu: '100m' }, limits: { memory: '64Mi' } }, started),
      )
      expect(await usedOf('compute')).toEqual({ 'limits.memory': '576Mi', pods: '2', 'requests.cpu': '1' })
      await gone('compute')
    })

    it('of a scope are about the pods in it', async () => {
      await counted('best-effort', { pods: '0' }, { scopes: ['BestEffort'] })
      await counted('terminating', { pods: '0' }, { scopes: ['Terminating'] })
      const some = { requests: { cpu: '1m' } }
      await eventually(
        async () => (await place.client.post(place.path('pods'), pod('effort'))).body.message,
      ).toBe(
        'pods "effort" is forbidden: exceeded quota: best-effort, requested: pods=1, used: pods=0, limited: pods=0',
      )
      await eventually(
        async () =>
          (await place.client.post(place.path('pods'), pod('short', some, { activeDeadlineSeconds: 5 }))).body
            .message,
      ).toBe(
        'pods "short" is forbidden: exceeded quota: terminating, requested: pods=1, used: pods=0, limited: pods=0',
      )
      await place.create('pods', pod('long', some))
      await gone('best-effort')
      await gone('terminating')
    })

    it('limit nothing that nobody has counted', async () => {
      await place.create('resourcequotas', {
        metadata: { name: 'new' },
        spec: { hard: { 'count/configmaps': '0' } },
      })
      await place.create('configmaps', { metadata: { name: 'free' } })
      const hard = { 'count/configmaps': '0' }
      accepted(await place.client.patch(`${path('new')}/status`, { status: { hard, used: {} } }))
      let names = 0
      await eventually(async () => {
        const answer = await place.client.post(place.path('configmaps'), {
          metadata: { name: `late-${names++}` },
        })
        return answer.body.message
      }).toMatch(/ is forbidden: status unknown for quota: new, resources: count\/configmaps$/)
      await gone('new')
    })

    it('are shown with what is used of them', async () => {
      await counted(
        'shown',
        { pods: '5', 'limits.cpu': '2', 'requests.cpu': '1' },
        {},
        { pods: '1', 'limits.cpu': '0', 'requests.cpu': '0' },
      )
      const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }
      const { rows } = accepted(await place.client.get(path('shown'), headers))
      expect(rows[0].cells).toEqual([
        'shown',
        'pods: 1/5, requests.cpu: 0/1',
        'limits.cpu: 0/2',
        expect.any(String),
      ])
      await gone('shown')
    })
  })
}
