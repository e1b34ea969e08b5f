import { describe, expect, it } from 'vitest'
import type { Json } from '../../../../../test/support/raw-client.ts'
import { accepted, type Place } from '../subject.ts'
import { API_SERVICES, apiService } from './scene.ts'

const SERVICE = { namespace: 'default', name: 'ext' }
const DRY = `${API_SERVICES}?dryRun=All`

/** Each: what is laid over a good spec, and what the server says of it. */
const REFUSED: readonly (readonly [problems: string, spec: Json])[] = [
  [
    'metadata.name: Invalid value: "v1.agg.example.com": must be `spec.version+"."+spec.group`: "v1.other.example.com"',
    { group: 'other.example.com' },
  ],
  [
    '[spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000, spec.versionPriority: Invalid value: 0: must be positive and less than 1000]',
    { groupPriorityMinimum: 0, versionPriority: 0 },
  ],
  [
    '[spec.caBundle: Invalid value: "2 bytes": local APIServices may not have a caBundle, spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify]',
    { caBundle: 'YWI=', insecureSkipTLSVerify: true },
  ],
  ['[spec.service.namespace: Required value, spec.service.name: Required value]', { service: {} }],
  [
    'spec.service.port: Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive',
    { service: { ...SERVICE, port: 70_000 } },
  ],
  [
    'spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present',
    { service: SERVICE, caBundle: 'YWI=', insecureSkipTLSVerify: true },
  ],
]

export function describeApiServiceValidation(place: Place): void {
  describe('an APIService', () => {
    it.each(REFUSED)('is refused: %s', async (problems, spec) => {
      const { status, body } = await place.client.post(DRY, apiService(spec))
      expect(status).toBe(422)
      expect(body.message).toBe(
        `APIService.apiregistration.k8s.io "v1.agg.example.com" is invalid: ${problems}`,
      )
    })

    it('is refused with a group or a version that is no name', async () => {
      const { status, body } = await place.client.post(DRY, {
        ...apiService({ group: 'Agg', version: '1' }),
        metadata: { name: '1.Agg' },
      })
      expect(status).toBe(422)
      expect(body.details.causes.map(({ field }: Json) => field)).toEqual(['spec.group', 'spec.version'])
      expect(body.message).toContain('a DNS-1035 label must consist of lower case alphanumeric characters')
    })

    it('without a group is that of the core group only', async () => {
      const { body } = await place.client.post(DRY, {
        ...apiService({ group: '', version: 'v2' }),
        metadata: { name: 'v2.' },
      })
      expect(body.message).toContain(
        'spec.group: Required value: only v1 may have an empty group and it better be legacy kube',
      )
    })

    it('has port 443, and no status before anybody has looked', async () => {
      const sent = { ...apiService({ service: SERVICE }, 'port.example.com'), status: { conditions: [] } }
      const made = accepted(await place.client.post(DRY, sent))
      expect(made.spec).toEqual({ ...sent.spec, service: { ...SERVICE, port: 443 } })
      expect(made.status).toEqual({})
    })

    it('has a status that says yes, no or that nobody knows', async () => {
      const group = 'status.example.com'
      const path = `${API_SERVICES}/v1.${group}`
      accepted(await place.client.post(API_SERVICES, apiService({}, group)))
      const conditions = [{ type: 'Odd', status: 'Maybe' }]
      const { status, body } = await place.client.patch(`${path}/status`, { status: { conditions } })
      expect([status, body.message]).toEqual([
        422,
        `APIService.apiregistration.k8s.io "v1.${group}" is invalid: status.conditions[0].status: Unsupported value: "Maybe": supported values: "True", "False", "Unknown"`,
      ])
      accepted(await place.client.delete(path))
    })
  })
}
