import { describe, expect, it } from 'vitest'
import { makeService } from '../../../../test/support/objects.ts'
import type { Json } from '../../../../test/support/raw-client.ts'
import { describeRefusals } from './refusals.ts'
import { accepted, describeIn, PATIENCE, type Subject } from './subject.ts'

const GROUP = '/apis/networking.k8s.io/v1'
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io'

/** Describes the objects behind cluster IPs: who has which, and where they come from. */
export function describeServiceAddresses(subject: Subject): void {
  describeIn(subject, 'service-addresses', (place) => {
    const address = (name: string) => place.client.get(`${GROUP}/ipaddresses/${name}`)
    const make = (name: string, spec: Json = {}): Promise<Json> =>
      place.create('services', makeService({ namespace: place.namespace, name, spec }))

    it('are an object for every cluster IP, as long as the Service has it', async () => {
      const { spec } = await make('pair', { ipFamilyPolicy: 'RequireDualStack' })
      const [first, second] = spec.clusterIPs
      expect((await address(first)).body).toMatchObject({
        kind: 'IPAddress',
        metadata: {
          labels: {
            'ipaddress.kubernetes.io/ip-family': 'IPv4',
            'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
          },
        },
        spec: { parentRef: { resource: 'services', namespace: place.namespace, name: 'pair' } },
      })
      expect((await address(second)).body.metadata.labels).toMatchObject({
        'ipaddress.kubernetes.io/ip-family': 'IPv6',
      })
      accepted(
        await place.client.patch(place.path('services', 'pair'), { spec: { ipFamilyPolicy: 'SingleStack' } }),
      )
      expect([(await address(first)).status, (await address(second)).status]).toEqual([200, 404])
      accepted(await place.client.delete(place.path('services', 'pair')))
      expect((await address(first)).status).toBe(404)
    })

    it('are not made for a dry run, which shows the address of the network', async () => {
      const path = `${place.path('services')}?dryRun=All`
      const service = makeService({ namespace: place.namespace, name: 'dry' })
      const { spec } = accepted(await place.client.post(path, service))
      expect(spec.clusterIP).toBe('10.0.0.0')
      expect((await address('10.0.0.0')).status).toBe(404)
    })

    it('keep Services from having what somebody else has taken', async () => {
      const parentRef = { group: 'example.com', resource: 'things', name: 'one' }
      accepted(
        await place.client.post(`${GROUP}/ipaddresses`, {
          metadata: { name: '10.0.0.207' },
          spec: { parentRef },
        }),
      )
      const service = makeService({
        namespace: place.namespace,
        name: 'late',
        spec: { clusterIP: '10.0.0.207' },
      })
      const { status, body } = await place.client.post(place.path('services'), service)
      expect([status, body.details.causes[0].message]).toEqual([
        422,
        'Invalid value: ["10.0.0.207"]: failed to allocate IP 10.0.0.207: provided IP is already allocated',
      ])
      const shown = accepted(await place.client.get(`${GROUP}/ipaddresses/10.0.0.207`, { accept: TABLE }))
      expect(shown.rows[0].cells[1]).toBe('things.example.com/one')
      const other = { spec: { parentRef: { ...parentRef, name: 'two' } } }
      const changed = await place.client.patch(`${GROUP}/ipaddresses/10.0.0.207`, other)
      expect(changed.body.details.causes).toMatchObject([
        { field: 'spec.parentRef', message: expect.stringContaining('field is immutable') },
      ])
      accepted(await place.client.delete(`${GROUP}/ipaddresses/10.0.0.207`))
    })

    describeRefusals(place, 'service-addresses')
  })

  describe('service-cidrs', () => {
    const path = (name: string): string => `${GROUP}/servicecidrs/${name}`
    const create = (name: string, ...cidrs: string[]) =>
      subject.client.post(`${GROUP}/servicecidrs`, { metadata: { name }, spec: { cidrs } })

    it('have one of the ranges that the server is configured with, which is ready', async () => {
      const { metadata, spec, status } = accepted(await subject.client.get(path('kubernetes')))
      expect(spec.cidrs).toEqual(['10.0.0.0/16', 'fd00:10::/108'])
      expect(status.conditions).toMatchObject([
        { type: 'Ready', status: 'True', reason: '', message: 'Kubernetes default Service CIDR is ready' },
      ])
      expect(metadata.managedFields[0]).toMatchObject({
        manager: 'kubernetes-service-cidr-controller',
        operation: 'Apply',
        subresource: 'status',
      })
    })

    it('give Services addresses unless they are not ready', async () => {
      const services = '/api/v1/namespaces/default/services'
      const service = {
        metadata: { name: 'widened' },
        spec: { clusterIP: '10.88.0.9', ports: [{ port: 80 }] },
      }
      const ask = async () => (await subject.client.post(services, service)).body
      expect((await ask()).message).toContain('does not match the current range')
      accepted(await create('more', '10.88.0.0/24'))
      await expect.poll(async () => (await ask()).spec?.clusterIP, PATIENCE).toBe('10.88.0.9')
      expect((await subject.client.get(`${GROUP}/ipaddresses/10.88.0.9`)).status).toBe(200)
      accepted(await subject.client.delete(`${services}/widened`))
      const times = { lastTransitionTime: '2026-01-01T00:00:00Z' }
      const condition = { type: 'Ready', status: 'False', reason: 'Off', message: '', ...times }
      accepted(await subject.client.patch(`${path('more')}/status`, { status: { conditions: [condition] } }))
      await expect
        .poll(async () => {
          const { message } = await ask()
          if (message === undefined) accepted(await subject.client.delete(`${services}/widened`))
          return message
        }, PATIENCE)
        .toContain('does not match the current range')
      accepted(await subject.client.delete(path('more')))
    })

    it('stay as they are, but for a second family', async () => {
      accepted(await create('fixed', '10.89.0.0/24'))
      const replace = (...cidrs: string[]) => subject.client.patch(path('fixed'), { spec: { cidrs } })
      expect((await replace('10.90.0.0/24')).body.details.causes).toMatchObject([{ field: 'spec.cidrs[0]' }])
      expect((await replace('10.89.0.0/24', '10.90.0.0/24')).body.message).toContain(
        'may specify no more than one IP',
      )
      accepted(await replace('10.89.0.0/24', 'fd00:89::/112'))
      expect((await replace('10.89.0.0/24')).body.details.causes).toMatchObject([
        { field: 'spec.cidrs', message: expect.stringContaining('field is immutable') },
      ])
      const shown = accepted(await subject.client.get(path('fixed'), { accept: TABLE }))
      expect(shown.rows[0].cells[1]).toBe('10.89.0.0/24,fd00:89::/112')
      accepted(await subject.client.delete(path('fixed')))
    })
  })

  it('leads to the server itself as the Service kubernetes, at the first address', async () => {
    const { metadata, spec } = accepted(
      await subject.client.get('/api/v1/namespaces/default/services/kubernetes'),
    )
    expect(metadata.labels).toEqual({ component: 'apiserver', provider: 'kubernetes' })
    expect(spec).toEqual({
      clusterIP: '10.0.0.1',
      clusterIPs: ['10.0.0.1'],
      internalTrafficPolicy: 'Cluster',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: expect.any(Number) }],
      sessionAffinity: 'None',
      type: 'ClusterIP',
    })
    expect((await subject.client.get(`${GROUP}/ipaddresses/10.0.0.1`)).body.spec).toEqual({
      parentRef: { resource: 'services', namespace: 'default', name: 'kubernetes' },
    })
  })
}
