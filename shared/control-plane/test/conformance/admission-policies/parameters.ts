import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { CRDS, createDefinition, definition, GROUP } from '../custom-resources/scene.ts'
import { accepted, describeIn, PATIENCE, type Subject } from '../subject.ts'
import { isDenied, useScene } from './scene.ts'

/** Describes the objects that policies are evaluated with. */
export function describeParameters(subject: Subject): void {
  describeIn(subject, 'policy-parameters', (place) => {
    const scene = useScene(place)
    const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' }
    const conditions = (prefix: string) => [
      { name: 'named', expression: `object.metadata.name.startsWith('${prefix}-')` },
    ]
    const maximum = {
      expression: 'params == null || object.data.size() <= int(params.data.most)',
      messageExpression: "'at most ' + params.data.most + ' by ' + params.metadata.name",
    }
    const data = { a: '1', b: '2', c: '3' }

    it('reads the object that the binding names, and again when it has changed', async () => {
      await place.create('configmaps', { metadata: { name: 'limits' }, data: { most: '2' } })
      const paramRef = { name: 'limits', namespace: place.namespace, parameterNotFoundAction: 'Deny' }
      await scene.bind(
        'validating',
        'named-param',
        { paramKind, matchConditions: conditions('named'), validations: [maximum] },
        { paramRef },
      )
      // Before that, kube-apiserver may deny it because it has not read its parameters yet.
      await scene.until(({ text }) => text.includes('denied request: at most 2 by limits'), 'named-a', {
        data,
      })
      accepted(await place.client.patch(place.path('configmaps', 'limits'), { data: { most: '3' } }))
      await vi.waitFor(
        async () => expect((await scene.attempt('named-a', { data })).status).toBe(201),
        PATIENCE,
      )
    })

    it('evaluates once for each object that a selector finds', async () => {
      for (const most of ['1', '5']) {
        await place.create('configmaps', {
          metadata: { name: `found-${most}`, labels: { find: 'me' } },
          data: { most },
        })
      }
      const paramRef = { selector: { matchLabels: { find: 'me' } }, parameterNotFoundAction: 'Deny' }
      await scene.bind(
        'validating',
        'selected-params',
        { paramKind, matchConditions: conditions('selected'), validations: [maximum] },
        { paramRef },
      )
      const { body } = await scene.until(({ text }) => text.includes('at most 1 by found-1'), 'selected-a', {
        data: { a: '1', b: '2' },
      })
      expect(body.details.causes).toHaveLength(1)
      expect((await scene.attempt('selected-b', { data: { a: '1' } })).status).toBe(201)
    })

    it('denies or allows where there is none, as the binding says', async () => {
      const spec = (prefix: string) => ({
        paramKind,
        matchConditions: conditions(prefix),
        validations: [{ expression: 'false', message: 'evaluated' }],
      })
      const paramRef = { name: 'absent', namespace: place.namespace }
      await scene.bind('validating', 'absent-allow', spec('allow'), {
        paramRef: { ...paramRef, parameterNotFoundAction: 'Allow' },
      })
      await scene.bind(
        'validating',
        'absent-deny',
        { ...spec('deny'), matchConditions: [] },
        {
          paramRef: { ...paramRef, parameterNotFoundAction: 'Deny' },
          matchResources: { objectSelector: { matchLabels: { absent: 'deny' } } },
        },
      )
      const why =
        'denied request: failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction'
      await scene.until(({ text }) => text.includes(why), 'deny-a', {
        metadata: { labels: { absent: 'deny' } },
      })
      expect((await scene.attempt('allow-a')).status).toBe(201)
    })

    it('evaluates without parameters where the binding names none', async () => {
      await scene.bind('validating', 'no-ref', {
        paramKind,
        matchConditions: conditions('noref'),
        validations: [{ expression: 'params != null', message: 'no parameters' }],
      })
      expect((await scene.until(isDenied, 'noref-a')).body.message).toContain('denied request: no parameters')
    })

    it('fails where nobody knows the kind', async () => {
      await scene.bind(
        'validating',
        'unknown-kind',
        {
          paramKind: { apiVersion: 'nowhere.example.com/v1', kind: 'Nothing' },
          matchConstraints: {
            resourceRules: [
              { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] },
            ],
            objectSelector: { matchLabels: { unknown: 'kind' } },
          },
          validations: [{ expression: 'true' }],
        },
        { paramRef: { name: 'x', parameterNotFoundAction: 'Allow' } },
      )
      const { status, body } = await scene.until(isDenied, 'unknown-a', {
        metadata: { labels: { unknown: 'kind' } },
      })
      expect(status).toBe(422)
      expect(body.message).toContain(
        "ValidatingAdmissionPolicy 'unknown-kind' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'nowhere.example.com/v1, Kind=Nothing'",
      )
    })

    const limits = `/apis/${GROUP}/v1/namespaces/policy-parameters/policylimits`
    beforeAll(async () => {
      const spec = { type: 'object', properties: { most: { type: 'integer' } } }
      const openAPIV3Schema = { type: 'object', properties: { spec } }
      await createDefinition(place.client, definition('policylimits', { schema: { openAPIV3Schema } }))
    })
    afterAll(async () => {
      await place.client.delete(`${CRDS}/policylimits.${GROUP}`)
    })

    it('reads custom resources', async () => {
      const kind = { apiVersion: `${GROUP}/v1`, kind: 'Policylimit' }
      accepted(await place.client.post(limits, { ...kind, metadata: { name: 'custom' }, spec: { most: 1 } }))
      await scene.bind(
        'validating',
        'custom-param',
        {
          paramKind: kind,
          matchConditions: conditions('custom'),
          validations: [
            {
              expression: 'object.data.size() <= params.spec.most',
              messageExpression: "params.kind + ' allows ' + string(params.spec.most)",
            },
          ],
        },
        { paramRef: { name: 'custom', parameterNotFoundAction: 'Deny' } },
      )
      const { body } = await scene.until(({ text }) => text.includes('Policylimit allows 1'), 'custom-a', {
        data,
      })
      expect(body.code).toBe(422)
    })
  })
}
