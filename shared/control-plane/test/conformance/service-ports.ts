import { expect, it } from 'vitest'
import { makeService } from '../../../../test/support/objects.ts'
import type { Json, RawResponse } from '../../../../test/support/raw-client.ts'
import { describeRefusals } from './refusals.ts'
import { accepted, describeIn, type Subject } from './subject.ts'

const OUTSIDE = 'provided port is not in the valid range. The range of valid ports is 30000-32767'
const TAKEN = 'provided port is already allocated'

/**
 * Describes which node ports Services get and may ask for. All that are asked for here are in the part that
 * is given out last.
 */
export function describeServicePorts(subject: Subject): void {
  describeIn(subject, 'service-ports', (place) => {
    const post = (name: string, spec: Json, query = ''): Promise<RawResponse> =>
      place.client.post(
        `${place.path('services')}${query}`,
        makeService({ namespace: place.namespace, name, spec }),
      )
    const portsOf = async (name: string, spec: Json): Promise<number[]> =>
      accepted(await post(name, spec)).spec.ports.map(({ nodePort }: Json) => nodePort)
    const dns = (tcp: Json = {}, udp: Json = {}): Json => ({
      type: 'NodePort',
      ports: [
        { name: 'tcp', port: 53, ...tcp },
        { name: 'udp', port: 53, protocol: 'UDP', ...udp },
      ],
    })
    const outcome = ({ status, body }: RawResponse): Json => [status, body.message]

    it('are the same for ports of one number', async () => {
      const [tcp, udp] = await portsOf('together', dns())
      expect(tcp).toBe(udp)
      expect(tcp).toBeGreaterThanOrEqual(30_086)
      expect(await portsOf('half', dns({}, { nodePort: 30_020 }))).toEqual([30_020, 30_020])
      expect(await portsOf('apart', dns({ nodePort: 30_021 }, { nodePort: 30_022 }))).toEqual([
        30_021, 30_022,
      ])
    })

    it('may be asked for where a load balancer gets none', async () => {
      await portsOf('holder', { type: 'NodePort', ports: [{ port: 80, nodePort: 30_024 }] })
      const spec = (nodePort: number) => ({
        type: 'LoadBalancer',
        allocateLoadBalancerNodePorts: false,
        ports: [
          { name: 'a', port: 80, nodePort },
          { name: 'b', port: 81 },
        ],
      })
      expect(await portsOf('some', spec(30_025))).toEqual([30_025, undefined])
      const path = 'Service "none" is invalid: spec.ports[0].nodePort: Invalid value'
      expect(outcome(await post('none', spec(30_024)))).toEqual([422, `${path}: 30024: ${TAKEN}`])
      expect(outcome(await post('none', spec(205)))).toEqual([422, `${path}: 205: ${OUTSIDE}`])
    })

    it('are of health checks alone', async () => {
      await portsOf('other', { type: 'NodePort', ports: [{ port: 80, nodePort: 30_026 }] })
      const spec = (healthCheckNodePort: number, port: Json = {}) => ({
        type: 'LoadBalancer',
        externalTrafficPolicy: 'Local',
        healthCheckNodePort,
        ports: [{ port: 80, ...port }],
      })
      const refused = (port: number, why: string) => [
        500,
        `Internal error occurred: failed to allocate requested HealthCheck NodePort ${port}: ${why}`,
      ]
      expect(outcome(await post('checked', spec(30_026)))).toEqual(refused(30_026, TAKEN))
      expect(outcome(await post('checked', spec(123)))).toEqual(refused(123, OUTSIDE))
      expect(outcome(await post('checked', spec(30_027, { nodePort: 30_027 })))).toEqual(
        refused(30_027, TAKEN),
      )
      expect(accepted(await post('checked', spec(30_027))).spec.healthCheckNodePort).toBe(30_027)
      accepted(await post('later', {}))
      const later = await place.client.patch(place.path('services', 'later'), { spec: spec(30_026) })
      expect(outcome(later)).toEqual(refused(30_026, TAKEN))
    })

    it('and addresses are looked at before the name', async () => {
      const spec = { type: 'NodePort', clusterIP: '10.0.0.71', ports: [{ port: 80, nodePort: 30_028 }] }
      accepted(await post('named', spec))
      const text = 'failed to allocate IP 10.0.0.71: provided IP is already allocated'
      expect(outcome(await post('named', spec))).toEqual([
        422,
        `Service "named" is invalid: spec.clusterIPs: Invalid value: ["10.0.0.71"]: ${text}`,
      ])
      expect((await post('named', {})).status).toBe(409)
    })

    describeRefusals(place, 'service-ports')
  })
}
