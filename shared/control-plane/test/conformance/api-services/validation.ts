import { describe, expect, it } from 'vitest'
import { describeRefusals } from '../refusals.ts'
import { accepted, type Place } from '../subject.ts'
import { API_SERVICES, apiService } from './scene.ts'

const SERVICE = { namespace: 'default', name: 'ext' }
const DRY = `${API_SERVICES}?dryRun=All`

export function describeApiServiceValidation(place: Place): void {
  describe('an APIService', () => {
    describeRefusals(place, 'api-services', (wrong) => apiService(wrong))

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
