import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { Json } from '../../../../../test/support/raw-client.ts'
import { accepted, PATIENCE } from '../subject.ts'
import { CRDS, definition, GROUP, type Scene, WARN } from './scene.ts'

/** Describes several versions, and the scale subresource. */
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
    }, 120_000)

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
      await vi.waitFor(async () => {
        const group = await place.client.get(`/apis/${GROUP}`)
        expect(group.body.versions.map(({ version }: Json) => version)).toEqual(['v1', 'v1beta1'])
        expect(group.body.preferredVersion.version).toBe('v1')
      }, PATIENCE)
    })

    it('selects by fields in all versions alike, where they have one schema', async () => {
      const schema = { openAPIV3Schema: { type: 'object', properties: { color: { type: 'string' } } } }
      const fields = { selectableFields: [{ jsonPath: '.color' }] }
      const create = (first: Json, second: Json) =>
        place.client.post(
          `${CRDS}?dryRun=All`,
          definition(
            'selected',
            {},
            {
              versions: [
                { name: 'v1', served: true, storage: true, schema, ...first },
                { name: 'v2', served: true, storage: false, schema, ...second },
              ],
            },
          ),
        )
      expect((await create(fields, fields)).status).toBe(201)
      expect((await create(fields, {})).body.message).toContain(
        'spec.versions[0].selectableFields: Invalid value: "": may only be set when `version.schema.openAPIV3Schema` is not included',
      )
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
      const { spec, metadata } = (await place.client.get(path)).body
      expect(spec.replicas).toBe(5)
      const owner = metadata.managedFields.find(({ subresource }: Json) => subresource === 'scale')
      expect([owner?.operation, owner?.fieldsV1, owner?.time]).toEqual([
        'Update',
        { 'f:spec': { 'f:replicas': {} } },
        undefined,
      ])
      expect(metadata.generation).toBe(2)
    })

    it('refuses numbers of replicas that no Scale can have, and what is none', async () => {
      accepted(await place.client.post(objects('fleets'), fleet('refused')))
      const path = objects('fleets', 'refused')
      const negative = await place.client.patch(path, { spec: { replicas: -1 } })
      expect(negative.body.message).toContain(
        '.spec.replicas: Invalid value: -1: should be a non-negative integer',
      )
      const wrong = await place.client.patch(objects('fleets', 'refused', 'v1beta1'), { spec: 'x' })
      // The other version has no scale: what it writes is not looked at as one.
      expect(wrong.status).toBe(200)
    })

    describe('without a webhook', () => {
      const text = (more: Json = {}): Json => ({ type: 'string', ...more })
      const of = (name: string, properties: Json, storage: boolean): Json => ({
        name,
        served: true,
        storage,
        schema: { openAPIV3Schema: { type: 'object', properties } },
      })
      const versions = [
        of('v1', { both: text(), old: text({ default: 'one' }) }, true),
        of('v2', { both: text(), young: text({ default: 'two' }) }, false),
      ]
      const boat = (name: string, version: string, content: Json): Json => ({
        apiVersion: `${GROUP}/${version}`,
        kind: 'Boat',
        metadata: { name },
        ...content,
      })
      const contentOf = async (name: string, version: string): Promise<Json> => {
        const { metadata, apiVersion, kind, ...content } = (
          await place.client.get(objects('boats', name, version))
        ).body
        return content
      }

      beforeAll(async () => {
        await define(definition('boats', {}, { versions }))
      }, 120_000)

      it('stores what the version to be stored knows, and fills in its defaults alone on reading', async () => {
        const made = await place.client.post(
          objects('boats', '', 'v2'),
          boat('new', 'v2', { both: 'b', young: 'y', stray: 'x' }),
        )
        // What is answered has been read back.
        expect([made.status, made.body.both, made.body.young, made.body.stray]).toEqual([
          201,
          'b',
          undefined,
          undefined,
        ])
        expect(await contentOf('new', 'v1')).toEqual({ both: 'b', old: 'one' })
        expect(await contentOf('new', 'v2')).toEqual({ both: 'b' })
      })

      it('shows in a version what that knows of what is stored', async () => {
        accepted(
          await place.client.post(objects('boats'), boat('old', 'v1', { both: 'b', old: 'o', young: 'y' })),
        )
        expect(await contentOf('old', 'v1')).toEqual({ both: 'b', old: 'o' })
        expect(await contentOf('old', 'v2')).toEqual({ both: 'b' })
      })

      it('has owners of fields of several versions, by the names that these have', async () => {
        const apply = (version: string, manager: string, content: Json) =>
          place.client.send('PATCH', `${objects('boats', 'owned', version)}?fieldManager=${manager}`, {
            body: boat('owned', version, content),
            headers: { 'content-type': 'application/apply-patch+yaml' },
          })
        accepted(await apply('v1', 'a', { both: 'b', old: 'o' }))
        const refused = await apply('v2', 'b', { both: 'c' })
        expect([refused.status, refused.body.message]).toEqual([
          409,
          'Apply failed with 1 conflict: conflict with "a": .both',
        ])
        accepted(await apply('v2', 'a', { both: 'd' }))
        const { body } = await place.client.get(objects('boats', 'owned'))
        expect(
          body.metadata.managedFields.map(({ manager, apiVersion }: Json) => [manager, apiVersion]),
        ).toEqual([['a', `${GROUP}/v2`]])
        expect(body.both).toBe('d')
      })
    })
  })
}
