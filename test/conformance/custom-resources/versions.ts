import { beforeAll, describe, expect, it } from 'vitest'
import type { Json } from '../../support/raw-client.ts'
import { accepted } from '../subject.ts'
import { definition, GROUP, type Scene, WARN } from './scene.ts'

/** Several versions, and the scale subresource. */
export function describeVersions(scene: Scene): void {
  const { place, objects, define } = scene
  describe('versions and scale', () => {
    const scalable = {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: { replicas: { type: 'integer' } } },
        status: {
          type: 'object',
          properties: { replicas: { type: 'integer' }, selector: { type: 'string' } },
        },
      },
    }

    beforeAll(async () => {
      const versions = [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: scalable },
          subresources: {
            status: {},
            scale: {
              specReplicasPath: '.spec.replicas',
              statusReplicasPath: '.status.replicas',
              labelSelectorPath: '.status.selector',
            },
          },
        },
        {
          name: 'v1beta1',
          served: true,
          storage: false,
          deprecated: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ]
      await define(definition('fleets', {}, { versions }))
    }, 30_000)

    const fleet = (name: string, version = 'v1'): Json => ({
      apiVersion: `${GROUP}/${version}`,
      kind: 'Fleet',
      metadata: { name },
      spec: { replicas: 2 },
    })

    it('serves an object in every version, and warns of those that are deprecated', async () => {
      const old = await place.client.post(objects('fleets', '', 'v1beta1'), fleet('versioned', 'v1beta1'))
      expect(old.status).toBe(201)
      expect(old.body.apiVersion).toBe(`${GROUP}/v1beta1`)
      expect(old.headers[WARN]).toBe(`299 - "${GROUP}/v1beta1 Fleet is deprecated; use ${GROUP}/v1 Fleet"`)
      const { body, headers } = await place.client.get(objects('fleets', 'versioned'))
      expect(body.apiVersion).toBe(`${GROUP}/v1`)
      expect(headers[WARN]).toBeUndefined()
      const group = await place.client.get(`/apis/${GROUP}`)
      expect(group.body.versions.map(({ version }: Json) => version)).toEqual(['v1', 'v1beta1'])
      expect(group.body.preferredVersion.version).toBe('v1')
    })

    it('shows an object as a Scale and takes its replicas from one', async () => {
      accepted(await place.client.post(objects('fleets'), fleet('scaled')))
      const path = objects('fleets', 'scaled')
      await place.client.patch(`${path}/status`, { status: { replicas: 1, selector: 'a=b' } })
      const { body } = await place.client.get(`${path}/scale`)
      expect(body).toMatchObject({
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        metadata: { name: 'scaled', namespace: place.namespace },
        spec: { replicas: 2 },
        status: { replicas: 1, selector: 'a=b' },
      })
      const scaled = accepted(await place.client.patch(`${path}/scale`, { spec: { replicas: 5 } }))
      expect([scaled.kind, scaled.spec.replicas]).toEqual(['Scale', 5])
      expect((await place.client.get(path)).body.spec.replicas).toBe(5)
    })
  })
}
