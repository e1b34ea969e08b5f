import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { parseAllDocuments } from 'yaml'
import {
  ANNOTATION_RULES,
  ANNOTATION_SELECTOR,
  ignoredAnnotations,
  invalidReason,
  permissionsOf,
  selectionOf,
} from '../../shared/changes/index.ts'
import type { Service } from '../../shared/endpointslice/index.ts'
import { customResourceDefinitions } from '../../shared/fleet/crds/index.ts'
import { parseSettings } from '../../shared/settings/index.ts'
import { createRawClient, type Json, type RawClient, type RawResponse } from '../support/raw-client.ts'
import { PODS, TIMES, VALUES } from './annotation-values.ts'
import type { StartCluster } from './cluster.ts'

const POLICIES = new URL('../../infra/rbac/admission.yaml', import.meta.url)
const API = '/apis/admissionregistration.k8s.io/v1'
const POLICY_PLURAL = 'validatingadmissionpolicies'
const BINDING_PLURAL = 'validatingadmissionpolicybindings'
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const SERVICES = '/api/v1/namespaces/default/services'
const EXPORTS = '/apis/multicluster.x-k8s.io/v1beta1/namespaces/default/serviceexports'
const IMPORTS = EXPORTS.replace('exports', 'imports')
/** A server learns of policies and definitions by watches of its own. */
const PATIENCE = { timeout: 120_000, interval: 100 }

type Annotations = Readonly<Record<string, string>>

const PERMISSIONS = permissionsOf(
  'a',
  parseSettings({
    allowedPods: '*/*=*/*',
    allowedNetworks: '*/*=0.0.0.0/0,*/*=::/0',
    allowedAddresses: '*/*=0.0.0.0/0,*/*=::/0',
  }),
)

const serviceWith = (annotations: Annotations, name = 'web'): Service & Json => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'default', annotations },
  spec: { ports: [{ port: 80 }] },
})

/** Returns what the Event on a Service with these annotations would say of the wrong one. */
function parserSays(annotations: Annotations): string | undefined {
  const service = serviceWith(annotations)
  const selection = selectionOf(service, 'custom', PERMISSIONS)
  if (selection.kind === 'invalid') return invalidReason(selection)
  const [ignored] = ignoredAnnotations(service)
  return ignored && `the annotation ${ignored.annotation} cannot be used: ${ignored.problem}`
}

const rows = Object.entries(VALUES)

/** Describes what the policies of infra/rbac/admission.yaml refuse, on any API server. */
export function describeAnnotationAdmission(name: string, startCluster: StartCluster): void {
  describe(`annotations of Sliceflow on ${name}`, () => {
    let client: RawClient
    let stop: () => Promise<unknown> = async () => {}

    beforeAll(async () => {
      const cluster = await startCluster('admission')
      client = createRawClient(cluster.admin)
      stop = () => cluster.stop()
      for (const definition of customResourceDefinitions()) await client.post(CRDS, definition)
      const policies = parseAllDocuments(await readFile(POLICIES, 'utf8')).map((one) => one.toJS() as Json)
      for (const policy of policies) {
        const plural = policy.kind.endsWith('y') ? POLICY_PLURAL : BINDING_PLURAL
        const response = await client.post(`${API}/${plural}`, policy)
        expect([policy.metadata.name, response.status, response.body?.message]).toEqual([
          policy.metadata.name,
          201,
          undefined,
        ])
      }
      await vi.waitFor(async () => {
        const refused = await apply({ 'sliceflow.dev/packing': 'tight' })
        const warned = await apply({ 'sliceflow.dev/owner': 'me' })
        const exported = await applyExport('[]')
        expect([refused.status, warned.headers.warning ?? '', exported.status]).toEqual([
          422,
          expect.stringContaining('owner'),
          422,
        ])
      }, PATIENCE)
    }, 300_000)
    afterAll(async () => {
      client?.close()
      await stop()
    })

    const apply = (annotations: Annotations): Promise<RawResponse> =>
      client.post(`${SERVICES}?dryRun=All`, serviceWith(annotations))
    const applyExport = (policy: string): Promise<RawResponse> =>
      client.post(`${EXPORTS}?dryRun=All`, {
        apiVersion: 'multicluster.x-k8s.io/v1beta1',
        kind: 'ServiceExport',
        metadata: {
          name: 'web',
          namespace: 'default',
          annotations: { 'sliceflow.dev/fleet-policy': policy },
        },
      })

    it('have values in this suite, one row for each rule', () => {
      expect(Object.keys(VALUES).sort()).toEqual(Object.keys(ANNOTATION_RULES).sort())
    })

    it.each(rows)(
      '%s: refuses exactly what Sliceflow refuses, and malformed values with the words of the Event',
      async (annotation, { good, malformed, parts, beside }) => {
        const withValue = (value: string): Annotations => ({ ...beside, [annotation]: value })
        expect(good.filter((value) => parserSays(withValue(value)) !== undefined)).toEqual([])
        expect(malformed.filter((value) => parserSays(withValue(value)) === undefined)).toEqual([])
        const text = fc.array(fc.constantFrom(...parts), { maxLength: 6 }).map((some) => some.join(''))
        await fc.assert(
          fc.asyncProperty(text, async (value) => {
            const { status, body } = await apply(withValue(value))
            const said = parserSays(withValue(value))
            expect([value, status]).toEqual([value, said === undefined ? 201 : 422])
            if (!malformed.includes(value)) return
            const words = body.message.slice(body.message.indexOf('the annotation '))
            // Of a selector the parser says more, in the words of an API server.
            if (annotation !== ANNOTATION_SELECTOR) expect(words).toBe(said)
            else expect([said, `${said}: `.startsWith(`${words}: `)]).toEqual([said, true])
          }),
          {
            numRuns: 40 + good.length + malformed.length,
            examples: [...good, ...malformed].map((value) => [value]),
          },
        )
      },
    )

    it.each([
      ['without its cluster', { ...PODS, 'sliceflow.dev/namespace': 'shop' }],
      ['beside a selector', { ...PODS, 'sliceflow.dev/addresses': '10.0.0.1' }],
      ['that is misspelt', { ...PODS, 'sliceflow.dev/netwrk': 'a' }],
      ['of another case', { 'sliceflow.dev/Selector': 'app=web' }],
      ['that is meant to pause', { ...PODS, 'sliceflow.dev/puased': 'true' }],
      ['that is meant to replace a setting', { ...PODS, 'sliceflow.dev/packin': 'compact' }],
    ])('refuse one %s with the words of the Event', async (_what, annotations) => {
      const { status, body } = await apply(annotations)
      expect([status, body.message]).toEqual([422, expect.stringContaining(parserSays(annotations) ?? '?')])
    })

    it('warn of one that nothing reads, and name those that are read', async () => {
      const { status, headers } = await apply({ 'sliceflow.dev/owner': 'me', 'example.dev/owner': 'me' })
      expect(status).toBe(201)
      expect(headers.warning).toContain(
        'Sliceflow reads no annotation sliceflow.dev/owner of a Service; it reads /selector',
      )
    })

    it('that were there before do not prevent other changes', async () => {
      const selector = { [ANNOTATION_SELECTOR]: 'app=web' }
      const [policies, path] = [`${API}/${BINDING_PLURAL}`, `${SERVICES}/old`]
      const { body: binding } = await client.get(`${policies}/sliceflow-annotations.services`)
      await client.delete(`${policies}/sliceflow-annotations.services`)
      const old = serviceWith({ ...selector, 'sliceflow.dev/packing': 'tight' }, 'old')
      await expect.poll(() => client.post(SERVICES, old), PATIENCE).toMatchObject({ status: 201 })
      const { uid: _, resourceVersion: __, ...metadata } = binding.metadata
      await client.post(policies, { ...binding, metadata })
      await expect
        .poll(() => apply({ 'sliceflow.dev/packing': 'tight' }), PATIENCE)
        .toMatchObject({ status: 422 })
      const patch = (annotations: Readonly<Record<string, string | null>>) =>
        client.patch(path, { metadata: { annotations } }).then(({ status }) => status)
      expect(await client.patch(path, { metadata: { labels: { a: 'b' } } })).toMatchObject({ status: 200 })
      expect(await patch({ 'sliceflow.dev/release': TIMES[0] ?? '' })).toBe(200)
      expect(await patch({ 'sliceflow.dev/packing': 'tighter' })).toBe(422)
      expect(await patch({ 'sliceflow.dev/packing': null })).toBe(200)
      expect(await patch({ 'sliceflow.dev/packing': 'tight' })).toBe(422)
    })

    it.each(['', '[]', '7', `{"weights":{"${'a'.repeat(4096)}":1}}`])(
      'of a ServiceExport: refuse the policy %j',
      async (policy) => {
        const { status, body } = await applyExport(policy)
        expect([status, body.message]).toEqual([
          422,
          expect.stringContaining(
            'the annotation sliceflow.dev/fleet-policy cannot be used: it is no JSON object',
          ),
        ])
      },
    )

    it('of a ServiceImport: refuse malformed ones, and let pass what Sliceflow writes', async () => {
      const apply = (annotations: Annotations): Promise<RawResponse> =>
        client.post(`${IMPORTS}?dryRun=All`, {
          apiVersion: 'multicluster.x-k8s.io/v1beta1',
          kind: 'ServiceImport',
          metadata: { name: 'web', namespace: 'default', annotations },
          spec: { type: 'ClusterSetIP', ports: [{ port: 80 }] },
        })
      const own = {
        'sliceflow.dev/exported': '{}',
        'sliceflow.dev/exported-ports': '{"eu":[0]}',
        'sliceflow.dev/fleet-policy': '{"prefer":"own"}',
        'sliceflow.dev/release': '2026-03-01T12:00:00Z',
      }
      const passed = await apply({ ...own, 'sliceflow.dev/maximum-removal': '50%' })
      expect([passed.status, passed.body.message, passed.headers.warning]).toEqual([
        201,
        undefined,
        undefined,
      ])
      await expect
        .poll(() => apply({ ...own, 'sliceflow.dev/maximum-removal': 'half' }), PATIENCE)
        .toMatchObject({ status: 422 })
      expect(await apply({ ...own, 'sliceflow.dev/packng': 'compact' })).toMatchObject({ status: 422 })
    })

    it('of a ServiceExport: let a policy pass', async () => {
      expect(await applyExport('{"prefer":"own"}')).toMatchObject({ status: 201 })
    })
  })
}
