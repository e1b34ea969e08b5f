import { describe, expect, it, vi } from 'vitest'
import type { Json } from '../../../../../test/support/raw-client.ts'
import { describeRefusals } from '../refusals.ts'
import { accepted, PATIENCE } from '../subject.ts'
import { CRDS, conditions, definition, GROUP, type Scene } from './scene.ts'

/** Describes what happens to a definition itself. */
export function describeDefinitions(scene: Scene): void {
  const { place, objects, define, made } = scene
  describe('definitions', () => {
    it('fills in names and the stored version, then accepts the names and establishes', async () => {
      const body = await define(definition('gadgets'))
      expect(body.spec.names).toEqual({
        plural: 'gadgets',
        singular: 'gadget',
        kind: 'Gadget',
        listKind: 'GadgetList',
      })
      expect(body.spec.conversion).toEqual({ strategy: 'None' })
      expect(body.status.storedVersions).toEqual(['v1'])
      expect(body.metadata.generation).toBe(1)
      const { body: now } = await place.client.get(`${CRDS}/gadgets.${GROUP}`)
      expect(now.status.acceptedNames).toEqual(body.spec.names)
      expect(conditions(now)).toEqual(['NamesAccepted=True', 'Established=True'])
    })

    it('does not accept names that another definition of the group has', async () => {
      const crd = definition('doubles', {}, { names: { plural: 'doubles', kind: 'Widget' } })
      made.push(crd.metadata.name)
      accepted(await place.client.post(CRDS, crd))
      await vi.waitFor(async () => {
        const { body } = await place.client.get(`${CRDS}/${crd.metadata.name}`)
        expect(conditions(body)).toEqual(['NamesAccepted=False', 'Established=False'])
        expect(body.status.conditions[0]).toMatchObject({
          reason: 'ListKindConflict',
          message: '"WidgetList" is already in use',
        })
      }, PATIENCE)
      expect((await place.client.get(objects('doubles'))).status).toBe(404)
    })

    describeRefusals(place, 'custom-definitions', ({ schema, spec, metadata }) => {
      const right = definition('as', schema && { schema: { openAPIV3Schema: schema } }, spec)
      return { ...right, metadata: metadata ?? right.metadata }
    })

    it('refuses two versions to store', async () => {
      const crd = definition('as')
      const [version] = crd.spec.versions
      crd.spec.versions = [version, { ...version, name: 'v2' }]
      const { status, body } = await place.client.post(CRDS, crd)
      // The rest of the message shows all of the versions as Go has them.
      expect([status, body.message]).toEqual([
        422,
        expect.stringContaining('must have exactly one version marked as storage version'),
      ])
    })

    it('appears in discovery', async () => {
      const described = await vi.waitFor(async () => {
        const { resources } = accepted(await place.client.get(`/apis/${GROUP}/v1`))
        const found = resources.filter(({ name }: Json) => name.startsWith('widgets'))
        expect(found).not.toHaveLength(0)
        return found
      }, PATIENCE)
      expect(described).toEqual([
        {
          name: 'widgets',
          singularName: 'widget',
          namespaced: true,
          kind: 'Widget',
          verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
          storageVersionHash: expect.any(String),
        },
        {
          name: 'widgets/status',
          singularName: '',
          namespaced: true,
          kind: 'Widget',
          verbs: ['get', 'patch', 'update'],
        },
      ])
    })

    it('deletes its objects with it, and waits for their finalizers', async () => {
      await define(definition('leftovers', {}, { names: { plural: 'leftovers', kind: 'Leftover' } }))
      const held = { name: 'held', finalizers: ['example.com/hold'] }
      const object = { apiVersion: `${GROUP}/v1`, kind: 'Leftover', metadata: held }
      accepted(await place.client.post(objects('leftovers'), object))
      const { body } = await place.client.delete(`${CRDS}/leftovers.${GROUP}`)
      expect(body.kind).toBe('CustomResourceDefinition')
      expect(body.metadata.finalizers).toEqual(['customresourcecleanup.apiextensions.k8s.io'])
      expect(conditions(body)).toContain('Terminating=True')
      await vi.waitFor(async () => {
        const { body: left } = await place.client.get(objects('leftovers', 'held'))
        expect(left.metadata.deletionTimestamp).toBeDefined()
      }, PATIENCE)
      const another = await place.client.post(objects('leftovers'), { ...object, metadata: { name: 'late' } })
      expect(another.status).toBe(403)
      expect(another.body.message).toContain(
        'create not allowed while custom resource definition is terminating',
      )
      await place.client.patch(objects('leftovers', 'held'), { metadata: { finalizers: null } })
      await expect
        .poll(async () => (await place.client.get(`${CRDS}/leftovers.${GROUP}`)).status, PATIENCE)
        .toBe(404)
      await expect.poll(async () => (await place.client.get(objects('leftovers'))).status, PATIENCE).toBe(404)
    })

    it('warn of formats that nobody knows, and of those that they had before no more', async () => {
      const schema = (formats: Record<string, string>) => ({
        type: 'object',
        properties: Object.fromEntries(
          Object.entries(formats).map(([format, type]) => [`a-${format}`, { type, format }]),
        ),
      })
      const unknown = (format: string) => `299 - "unrecognized format \\"${format}\\""`
      const formats = {
        'date-time': 'string',
        isbn: 'string',
        int32: 'integer',
        float: 'number',
        int64: 'string',
      }
      const crd = definition('scripts', { schema: { openAPIV3Schema: schema(formats) } })
      const { status, headers } = await place.client.post(CRDS, crd)
      made.push(crd.metadata.name)
      expect([status, headers.warning]).toEqual([201, unknown('int64')])
      const changed = schema({ ...formats, uint64: 'integer' })
      const path = `${CRDS}/${crd.metadata.name}`
      const versions = [{ ...crd.spec.versions[0], schema: { openAPIV3Schema: changed } }]
      const updated = await place.client.patch(path, { spec: { versions } })
      expect([updated.status, updated.headers.warning]).toEqual([200, unknown('uint64')])
    })
  })
}
