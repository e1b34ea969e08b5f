import { afterAll, describe, expect, it } from 'vitest'
import type { Json } from '../../../../../test/support/raw-client.ts'
import { describeRefusals } from '../refusals.ts'
import { accepted, type Subject } from '../subject.ts'
import { type HookKind, pathOf } from './hooks.ts'

const url = 'https://127.0.0.1:1/hook'
const webhook = (more: Json = {}): Json => ({
  name: 'a.example.com',
  clientConfig: { url },
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  ...more,
})
const rule = (more: Json): Json => ({
  operations: ['CREATE'],
  apiGroups: ['none.example.com'],
  apiVersions: ['v1'],
  resources: ['things'],
  ...more,
})

/** Describes webhook configurations as objects. */
export function describeConfigurations(subject: Subject): void {
  describe('admission-configurations', () => {
    const created: [HookKind, string][] = []
    const create = async (kind: HookKind, name: string, ...webhooks: Json[]) => {
      const response = await subject.client.post(pathOf(kind), { metadata: { name }, webhooks })
      if (response.status === 201) created.push([kind, name])
      return response
    }
    afterAll(async () => {
      for (const [kind, name] of created) await subject.client.delete(pathOf(kind, name))
    })

    it.each<HookKind>(['mutating', 'validating'])('fill in defaults (%s)', async (kind) => {
      const service = { namespace: 'default', name: 'none' }
      const { body } = await create(
        kind,
        `defaults-${kind}`,
        webhook({ rules: [rule({})] }),
        webhook({ name: 'b.example.com', clientConfig: { service } }),
      )
      const defaults = {
        failurePolicy: 'Fail',
        matchPolicy: 'Equivalent',
        namespaceSelector: {},
        objectSelector: {},
        timeoutSeconds: 10,
        ...(kind === 'mutating' ? { reinvocationPolicy: 'Never' } : {}),
      }
      expect(body.metadata.generation).toBe(1)
      expect(body.webhooks).toEqual([
        webhook({ rules: [rule({ scope: '*' })], ...defaults }),
        webhook({ name: 'b.example.com', clientConfig: { service: { ...service, port: 443 } }, ...defaults }),
      ])
    })

    describeRefusals(subject, 'webhook-configurations', (wrong) => ({
      metadata: { name: 'wrong' },
      webhooks: [webhook(wrong)],
    }))

    it('refuse two webhooks of one name, and a reinvocation policy that there is none of', async () => {
      const { body } = await create('mutating', 'wrong', webhook({ reinvocationPolicy: 'x' }), webhook())
      expect(
        body.details.causes.map(({ field, message }: Json) =>
          `${field}: ${message}`.replace('webhooks[0].', ''),
        ),
      ).toEqual([
        'reinvocationPolicy: Unsupported value: "x": supported values: "IfNeeded", "Never"',
        'webhooks[1].name: Duplicate value: "a.example.com"',
      ])
    })

    it('are replaced by their version alone, and count their changes', async () => {
      const { body } = await create('validating', 'changed', webhook())
      const path = pathOf('validating', 'changed')
      const { resourceVersion, ...metadata } = body.metadata
      const blind = await subject.client.put(path, { ...body, metadata })
      expect([blind.status, blind.body.message]).toEqual([
        422,
        'validatingwebhookconfigurations.admissionregistration.k8s.io "changed" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
      ])
      const labelled = accepted(await subject.client.patch(path, { metadata: { labels: { a: 'b' } } }))
      expect(labelled.metadata.generation).toBe(1)
      const changed = accepted(await subject.client.patch(path, { webhooks: [] }))
      expect(changed.metadata.generation).toBe(2)
    })

    it('are shown with the number of their webhooks', async () => {
      await create('validating', 'shown', webhook(), webhook({ name: 'b.example.com' }))
      const table = await subject.client.get(pathOf('validating', 'shown'), {
        accept: 'application/json;as=Table;g=meta.k8s.io;v=v1',
      })
      expect(table.body.columnDefinitions.map(({ name }: Json) => name)).toEqual(['Name', 'Webhooks', 'Age'])
      expect(table.body.rows[0].cells.slice(0, 2)).toEqual(['shown', 2])
    })

    it('warn of names that are kept for files', async () => {
      const { headers } = await create('validating', 'a.static.k8s.io', webhook())
      expect(headers.warning).toContain('are reserved for static manifest-based configurations')
    })
  })
}
