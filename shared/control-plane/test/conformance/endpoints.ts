import { expect, it } from 'vitest'
import type { Json } from '../../../../test/support/raw-client.ts'
import { describeRefusals } from './refusals.ts'
import { accepted, describeIn, type Subject } from './subject.ts'

const WARNING = '299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"'
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io'

/** Describes Endpoints, the older form of a Service's addresses, which controllers still mirror. */
export function describeEndpoints(subject: Subject): void {
  describeIn(subject, 'endpoints', (place) => {
    const path = (name: string): string => place.path('endpoints', name)
    const make = (name: string, ...subsets: Json[]): Json => ({ metadata: { name }, subsets })
    const create = (name: string, ...subsets: Json[]) => place.create('endpoints', make(name, ...subsets))

    it('fills in the protocol of ports, and warns of a kind that is no longer meant to be used', async () => {
      const { headers, body } = await place.client.post(
        place.path('endpoints'),
        make('defaults', { addresses: [{ ip: '10.1.0.1' }], ports: [{ port: 80 }] }),
      )
      expect(body.subsets).toEqual([
        { addresses: [{ ip: '10.1.0.1' }], ports: [{ port: 80, protocol: 'TCP' }] },
      ])
      expect(body.metadata).not.toHaveProperty('generation')
      expect(headers.warning).toBe(WARNING)
      expect((await place.client.get(path('defaults'))).headers.warning).toBe(WARNING)
    })

    it('creates by PUT what is not there', async () => {
      const { status } = await place.client.put(path('put'), make('put', { addresses: [{ ip: '10.1.0.1' }] }))
      expect(status).toBe(201)
      const updated = accepted(await place.client.put(path('put'), make('put')))
      expect(updated).not.toHaveProperty('subsets')
    })

    it('warns of IPv6 addresses that are not written as they should be', async () => {
      const subset = { addresses: [{ ip: '10.1.0.1' }], notReadyAddresses: [{ ip: 'FD00::0:1' }] }
      const { headers } = await place.client.post(place.path('endpoints'), make('spelling', subset))
      expect(headers.warning).toContain(
        'subsets[0].notReadyAddresses[0].ip: IPv6 address \\"FD00::0:1\\" should be in RFC 5952 canonical format (\\"fd00::1\\")',
      )
    })

    describeRefusals(place, 'endpoints')

    it('shows the first three addresses with their ports in a table', async () => {
      const addresses = ['10.1.0.1', '10.1.0.2', 'fd00::1', '10.1.0.4'].map((ip) => ({ ip }))
      await create('table', { addresses, ports: [{ port: 80 }] })
      await create('bare', { addresses: addresses.slice(0, 1) })
      await create('none')
      const cell = async (name: string): Promise<string> =>
        accepted(await place.client.get(path(name), { accept: TABLE })).rows[0].cells[1]
      expect(await cell('table')).toBe('10.1.0.1:80,10.1.0.2:80,[fd00::1]:80 + 1 more...')
      expect(await cell('bare')).toBe('10.1.0.1')
      expect(await cell('none')).toBe('<none>')
    })
  })
}
