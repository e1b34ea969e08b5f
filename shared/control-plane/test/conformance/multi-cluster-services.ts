import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json, RawResponse } from '../../../../test/support/raw-client.ts'
import { customResourceDefinitions } from '../../../fleet/crds/index.ts'
import { MCS_GROUP, MCS_VERSIONS, mergeExports, withConditions } from '../../../fleet/index.ts'
import { CRDS, createDefinition } from './custom-resources/scene.ts'
import { accepted, describeIn, type Subject } from './subject.ts'

const EXPORT: Json = { spec: { exportedLabels: { team: 'core' }, exportedAnnotations: { note: 'any text' } } }
const PORT = { name: 'http', protocol: 'TCP', appProtocol: 'kubernetes.io/h2c', port: 80 }
const IMPORT: Json = {
  spec: {
    type: 'ClusterSetIP',
    ports: [PORT],
    ips: ['10.96.0.7', 'fd00::7'],
    ipFamilies: ['IPv4', 'IPv6'],
    sessionAffinity: 'ClientIP',
    sessionAffinityConfig: { clientIP: { timeoutSeconds: 10 } },
    internalTrafficPolicy: 'Local',
    trafficDistribution: 'PreferSameZone',
  },
}
const CONDITION = {
  type: 'Ready',
  status: 'True',
  observedGeneration: 1,
  lastTransitionTime: '2026-01-01T00:00:00Z',
  reason: 'Ready',
  message: '',
}
const KINDS = { serviceexports: 'ServiceExport', serviceimports: 'ServiceImport' } as const
type Plural = keyof typeof KINDS

/** Describes the kinds of the Multi-Cluster Services API, by our own definitions. */
export function describeMultiClusterServices(subject: Subject): void {
  describeIn(subject, 'multi-cluster-services', ({ namespace }) => {
    const path = (plural: Plural, name = '', version = 'v1beta1'): string =>
      `/apis/${MCS_GROUP}/${version}/namespaces/${namespace}/${plural}${name === '' ? '' : `/${name}`}`
    const create = (plural: Plural, name: string, content: Json, version = 'v1beta1'): Promise<RawResponse> =>
      subject.client.post(path(plural, '', version), {
        apiVersion: `${MCS_GROUP}/${version}`,
        kind: KINDS[plural],
        metadata: { name },
        ...content,
      })
    const writeStatus = (plural: Plural, name: string, status: Json): Promise<RawResponse> =>
      subject.client.patch(`${path(plural, name)}/status`, { status })

    beforeAll(async () => {
      for (const crd of customResourceDefinitions()) await createDefinition(subject.client, crd)
    }, 120_000)
    afterAll(async () => {
      for (const plural of Object.keys(KINDS)) await subject.client.delete(`${CRDS}/${plural}.${MCS_GROUP}`)
    })

    it('are defined without a fault in their schemas', async () => {
      for (const plural of Object.keys(KINDS)) {
        const { status } = (await subject.client.get(`${CRDS}/${plural}.${MCS_GROUP}`)).body
        const types = status.conditions.map((condition: Json) => `${condition.type}=${condition.status}`)
        expect(types.sort()).toEqual(['Established=True', 'NamesAccepted=True'])
        expect(status.storedVersions).toEqual(['v1beta1'])
      }
    })

    describe.each([
      ['serviceexports', EXPORT],
      ['serviceimports', IMPORT],
    ] as const)('%s', (plural, content) => {
      it('keep all that the API has, and are the same in both versions', async () => {
        accepted(await create(plural, 'whole', content))
        for (const version of MCS_VERSIONS) {
          const { body } = await subject.client.get(path(plural, 'whole', version))
          expect(body).toMatchObject({ apiVersion: `${MCS_GROUP}/${version}`, ...content })
        }
        accepted(await create(plural, 'older', content, 'v1alpha1'))
        expect((await subject.client.get(path(plural, 'older'))).body).toMatchObject(content)
      })

      it('have a status of its own, which moves no generation', async () => {
        accepted(await create(plural, 'with-status', { ...content, status: { conditions: [CONDITION] } }))
        expect((await subject.client.get(path(plural, 'with-status'))).body.status).toBeUndefined()
        const { body } = await writeStatus(plural, 'with-status', { conditions: [CONDITION] })
        expect(body.status).toEqual({ conditions: [CONDITION] })
        expect(body.metadata.generation).toBe(1)
      })

      it.each([
        ['status: Unsupported value: "Maybe"', { status: 'Maybe' }],
        ['reason', { reason: '' }],
        ['reason', { reason: 'Not ready. Sorry.' }],
        ['lastTransitionTime', { lastTransitionTime: 'now' }],
        ['observedGeneration', { observedGeneration: -1 }],
        ['message: Too long', { message: 'x'.repeat(32_769) }],
        ['type', { type: 'not a word' }],
      ])('refuse a condition: %s', async (fault, wrong) => {
        const name = `refusing-${crypto.randomUUID()}`
        accepted(await create(plural, name, content))
        const answer = await writeStatus(plural, name, { conditions: [{ ...CONDITION, ...wrong }] })
        expect(answer.status).toBe(422)
        expect(answer.body.message).toContain(fault)
      })

      it('refuse two conditions of one type', async () => {
        accepted(await create(plural, 'twice', content))
        const answer = await writeStatus(plural, 'twice', { conditions: [CONDITION, CONDITION] })
        expect([answer.status, answer.body.message]).toEqual([
          422,
          expect.stringContaining('Duplicate value'),
        ])
      })
    })

    it.each([
      ['exportedLabels.team', { spec: { exportedLabels: { team: 7 } } }],
      ['exportedAnnotations', { spec: { exportedAnnotations: ['note'] } }],
    ])('refuse a ServiceExport: %s', async (fault, content) => {
      const { status, body } = await create('serviceexports', 'refused', content)
      expect([status, body.message]).toEqual([422, expect.stringContaining(fault)])
    })

    const { type: _, ...typeless } = IMPORT.spec
    it.each([
      ['spec.type: Required value', typeless],
      ['Unsupported value: "ExternalName"', { ...IMPORT.spec, type: 'ExternalName' }],
      ['spec.ports: Required value', { type: 'Headless' }],
      ['port: Required value', { ...IMPORT.spec, ports: [{ name: 'http' }] }],
      ['spec.ports[0].port', { ...IMPORT.spec, ports: [{ port: 'http' }] }],
      ['spec.ips: Too many: 3', { ...IMPORT.spec, ips: ['a', 'b', 'c'] }],
      ['spec.ipFamilies: Too many: 3', { ...IMPORT.spec, ipFamilies: ['a', 'b', 'c'] }],
    ])('refuse a ServiceImport: %s', async (fault, spec) => {
      const { status, body } = await create('serviceimports', 'refused', { spec })
      expect([status, body.message]).toEqual([422, expect.stringContaining(fault)])
    })

    it('take a ServiceImport without ports where it says so', async () => {
      accepted(await create('serviceimports', 'portless', { spec: { type: 'Headless', ports: [] } }))
      expect((await subject.client.get(path('serviceimports', 'portless'))).body.spec).toEqual({
        type: 'Headless',
        ports: [],
      })
    })

    it('refuse a status of an import that names a cluster twice, or endpoints that may be', async () => {
      accepted(await create('serviceimports', 'imported', IMPORT))
      const clusters = [{ cluster: 'eu' }, { cluster: 'us' }]
      const status = { clusters, endpointSliceObjects: 'Present' }
      expect((await writeStatus('serviceimports', 'imported', status)).body.status).toEqual(status)
      const twice = await writeStatus('serviceimports', 'imported', { clusters: [clusters[0], clusters[0]] })
      expect([twice.status, twice.body.message]).toEqual([422, expect.stringContaining('Duplicate value')])
      const perhaps = await writeStatus('serviceimports', 'imported', { endpointSliceObjects: 'Perhaps' })
      expect(perhaps.status).toBe(422)
    })

    it('accept the merge of exports that disagree in everything, and its conditions', async () => {
      const service = (spec: Json) => ({ metadata: { namespace, name: 'web', uid: 'u' }, spec })
      const oldest = accepted(await create('serviceexports', 'merged', EXPORT))
      const { merged, wantedConditions } = mergeExports([
        {
          cluster: 'eu',
          export: oldest,
          service: service({ ...IMPORT.spec, type: 'ClusterIP', clusterIP: '10.96.0.7' }),
        },
        {
          cluster: 'us',
          export: {},
          service: service({ clusterIP: 'None', ipFamilies: ['IPv6'], ports: [{ port: 80 }] }),
        },
      ])
      const { spec, labels, annotations } = merged ?? {}
      accepted(
        await create('serviceimports', 'merged', { metadata: { name: 'merged', labels, annotations }, spec }),
      )
      expect((await subject.client.get(path('serviceimports', 'merged'))).body.spec).toEqual(spec)
      const conditions = withConditions(undefined, wantedConditions.get('eu') ?? [], {
        generation: 1,
        now: '2026-01-01T00:00:00Z',
      })
      const written = accepted(await writeStatus('serviceexports', 'merged', { conditions }))
      expect(written.status.conditions).toEqual(conditions)
      expect(written.status.conditions[1].reason.split(',')).toHaveLength(9)
    })
  })
}
