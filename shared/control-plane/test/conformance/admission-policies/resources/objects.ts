import { expect, it } from 'vitest'
import type { Json } from '../../../../../../test/support/raw-client.ts'
import { accepted } from '../../subject.ts'
import { bindingPath, policyPath } from '../scene.ts'
import type { PolicyObjects } from './scene.ts'

/** Defaults, generations, the status and the columns. */
export function describePolicyObjects({ place, made, validating }: PolicyObjects): void {
  it('fills in what a validating policy leaves out, and counts its generations', async () => {
    const path = policyPath('validating')
    const name = 'defaults.example.com'
    made.push(`${path}/${name}`)
    const created = accepted(
      await place.client.post(path, {
        metadata: { name },
        spec: {
          matchConstraints: {
            resourceRules: [
              { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['widgets'] },
            ],
          },
          validations: [{ expression: 'true' }],
        },
        status: { observedGeneration: 7 },
      }),
    )
    expect(created.spec).toEqual({
      failurePolicy: 'Fail',
      matchConstraints: {
        matchPolicy: 'Equivalent',
        namespaceSelector: {},
        objectSelector: {},
        resourceRules: [
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            operations: ['CREATE'],
            resources: ['widgets'],
            scope: '*',
          },
        ],
      },
      validations: [{ expression: 'true' }],
    })
    expect([created.metadata.generation, created.status]).toEqual([1, {}])
    const changed = accepted(
      await place.client.patch(`${path}/${name}`, { spec: { failurePolicy: 'Ignore' } }),
    )
    expect(changed.metadata.generation).toBe(2)
    const labelled = accepted(
      await place.client.patch(`${path}/${name}`, { metadata: { labels: { a: 'b' } } }),
    )
    expect(labelled.metadata.generation).toBe(2)
  })

  it('keeps the status apart, and wants a resourceVersion of updates', async () => {
    const path = policyPath('validating')
    const name = 'status.example.com'
    made.push(`${path}/${name}`)
    const created = accepted(await place.client.post(path, { ...validating(), metadata: { name } }))
    const typeChecking = {
      expressionWarnings: [{ fieldRef: 'spec.validations[0].expression', warning: 'x' }],
    }
    const reported = accepted(
      await place.client.patch(`${path}/${name}/status`, {
        spec: { failurePolicy: 'Ignore' },
        status: { observedGeneration: 1, typeChecking },
      }),
    )
    expect([reported.status, reported.spec.failurePolicy]).toEqual([
      { observedGeneration: 1, typeChecking },
      'Fail',
    ])
    const { resourceVersion, ...metadata } = created.metadata
    const blind = await place.client.put(`${path}/${name}`, { ...created, metadata })
    expect([blind.status, blind.body.details.causes[0].message]).toEqual([
      422,
      'Invalid value: 0: must be specified for an update',
    ])
  })

  it('checks the conditions of a status', async () => {
    const path = `${policyPath('validating')}/conditions.example.com`
    made.push(path)
    accepted(
      await place.client.post(policyPath('validating'), {
        ...validating(),
        metadata: { name: 'conditions.example.com' },
      }),
    )
    const conditionOf = async (condition: Json): Promise<string[]> => {
      const status = { conditions: [condition] }
      const { body } = await place.client.patch(`${path}/status?dryRun=All`, { status })
      return (body.details?.causes ?? []).map(({ field, message }: Json) => `${field}: ${message}`)
    }
    const right = {
      type: 'Ready',
      status: 'True',
      reason: 'AsExpected',
      message: 'm',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    }
    expect(await conditionOf(right)).toEqual([])
    expect(await conditionOf({ ...right, status: 'Maybe', observedGeneration: -1 })).toEqual([
      'status.conditions[0].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"',
      'status.conditions[0].observedGeneration: Invalid value: -1: must be greater than or equal to zero',
    ])
    expect(await conditionOf({ type: 'Ready', status: 'True' })).toEqual([
      'status.conditions[0].lastTransitionTime: Required value',
      'status.conditions[0].reason: Required value',
    ])
    const [wrong] = await conditionOf({ ...right, reason: '9' })
    expect(wrong).toContain('Invalid value: "9": a condition reason must start with alphabetic character')
  })

  it('shows policies and bindings as tables', async () => {
    const path = policyPath('validating')
    const name = 'table.example.com'
    made.push(`${path}/${name}`, `${bindingPath('validating')}/${name}`)
    const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' }
    accepted(await place.client.post(path, { ...validating({ paramKind }), metadata: { name } }))
    const paramRef = { name: 'x', parameterNotFoundAction: 'Deny' }
    accepted(
      await place.client.post(bindingPath('validating'), {
        metadata: { name },
        spec: { policyName: 'none', validationActions: ['Audit'], paramRef },
      }),
    )
    const accept = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }
    const cells = async (one: string): Promise<Json[]> =>
      (await place.client.get(one, accept)).body.rows[0].cells.slice(0, 3)
    expect(await cells(`${path}/${name}`)).toEqual([name, 1, 'v1/ConfigMap'])
    expect(await cells(`${bindingPath('validating')}/${name}`)).toEqual([name, 'none', '*/x'])
  })
}
