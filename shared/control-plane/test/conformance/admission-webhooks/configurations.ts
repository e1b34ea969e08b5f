import { afterAll, describe, expect, it } from 'vitest'
import type { Json } from '../../../../../test/support/raw-client.ts'
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

    it.each<[unknown[], Json]>([
      [['name: Required value'], { name: '' }],
      [
        ['name: Invalid value: "a.b": should be a domain with at least three segments separated by dots'],
        { name: 'a.b' },
      ],
      [
        [
          "name: Invalid value: \"A.b.c\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
        ],
        { name: 'A.b.c' },
      ],
      [['sideEffects: Required value: must specify one of None, NoneOnDryRun'], { sideEffects: undefined }],
      [
        ['sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"'],
        { sideEffects: 'Some' },
      ],
      [
        ['timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds'],
        { timeoutSeconds: 31 },
      ],
      [
        [
          'failurePolicy: Unsupported value: "x": supported values: "Fail", "Ignore"',
          'matchPolicy: Unsupported value: "y": supported values: "Equivalent", "Exact"',
        ],
        { failurePolicy: 'x', matchPolicy: 'y' },
      ],
      [['clientConfig: Required value: exactly one of url or service is required'], { clientConfig: {} }],
      [
        ['admissionReviewVersions: Required value: must specify one of v1, v1beta1'],
        { admissionReviewVersions: [] },
      ],
      [
        [
          'admissionReviewVersions[1]: Invalid value: "v3": duplicate version',
          'admissionReviewVersions: Invalid value: ["v3","v3"]: must include at least one of v1, v1beta1',
        ],
        { admissionReviewVersions: ['v3', 'v3'] },
      ],
      [
        [
          "objectSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
          "objectSelector.matchExpressions[1].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
          'objectSelector.matchExpressions[2].operator: Invalid value: "Like": not a valid selector operator',
          'objectSelector.matchExpressions[2].key: Invalid value: "": name part must be non-empty',
          expect.stringContaining('matchExpressions[2].key: Invalid value: "": name part must consist of'),
        ],
        {
          objectSelector: {
            matchExpressions: [
              { key: 'a', operator: 'In' },
              { key: 'b', operator: 'Exists', values: ['c'] },
              { key: '', operator: 'Like' },
            ],
          },
        },
      ],
      [
        [
          'rules[0].operations: Required value',
          'rules[0].apiGroups: Required value',
          'rules[0].apiVersions: Required value',
          'rules[0].resources: Required value',
        ],
        { rules: [{}] },
      ],
      [
        [
          'rules[0].operations: Invalid value: ["*","PATCH"]: if \'*\' is present, must not specify other operations',
          'rules[0].operations[1]: Unsupported value: "PATCH": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
          'rules[0].apiGroups: Invalid value: ["*",""]: if \'*\' is present, must not specify other API groups',
          'rules[0].apiVersions: Invalid value: ["*",""]: if \'*\' is present, must not specify other API versions',
          'rules[0].apiVersions[1]: Required value',
          'rules[0].resources: Invalid value: ["*","a"]: if \'*\' is present, must not specify other resources without subresources',
          'rules[0].scope: Unsupported value: "x": supported values: "*", "Cluster", "Namespaced"',
        ],
        {
          rules: [
            rule({
              operations: ['*', 'PATCH'],
              apiGroups: ['*', ''],
              apiVersions: ['*', ''],
              resources: ['*', 'a'],
              scope: 'x',
            }),
          ],
        },
      ],
      [
        [
          'rules[0].resources[1]: Invalid value: "a/b": if \'a/*\' is present, must not specify a/b',
          'rules[0].resources[3]: Invalid value: "d/c": if \'*/c\' is present, must not specify d/c',
          'rules[0].resources[5]: Required value',
          'rules[0].resources: Invalid value: ["a/*","a/b","*/c","d/c","*/*",""]: if \'*/*\' is present, must not specify other resources',
        ],
        { rules: [rule({ resources: ['a/*', 'a/b', '*/c', 'd/c', '*/*', ''] })] },
      ],
      [
        [
          'matchConditions[0].expression: Required value',
          'matchConditions[0].name: Required value',
          expect.stringContaining(
            'matchConditions[1].name: Invalid value: "a b": name part must consist of alphanumeric characters',
          ),
          'matchConditions[3].name: Duplicate value: "c"',
        ],
        {
          matchConditions: [
            { name: '', expression: ' ' },
            { name: 'a b', expression: 'true' },
            { name: 'c', expression: 'true' },
            { name: 'c', expression: 'true' },
          ],
        },
      ],
    ])('refuse: %s', async (texts, wrong) => {
      for (const kind of ['mutating', 'validating'] as const) {
        const { status, body } = await create(kind, 'wrong', webhook(wrong))
        expect(status).toBe(422)
        const shown = body.details.causes.map(({ field, message }: Json) =>
          `${field}: ${message}`.replace('webhooks[0].', ''),
        )
        expect(shown).toEqual(texts)
        const type = `${kind === 'mutating' ? 'Mutating' : 'Validating'}WebhookConfiguration`
        expect(body.message).toMatch(`${type}.admissionregistration.k8s.io "wrong" is invalid: `)
      }
    })

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
