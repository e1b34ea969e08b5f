import { expect, it } from 'vitest'
import type { Json } from '../../../../../test/support/raw-client.ts'
import { accepted, type Subject } from '../subject.ts'
import { LEVELS, limited, SCHEMAS, schema } from './scene.ts'

const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }

export function describeFlowControlObjects(subject: Subject): void {
  const client = () => subject.client
  /** Asks until the answer is so: real servers look at their flow schemas from time to time. */
  async function until(path: string, isSo: (body: Json) => boolean): Promise<Json> {
    const watch = await client().watch(
      `${path.slice(0, path.lastIndexOf('/'))}?fieldSelector=metadata.name%3D${path.slice(path.lastIndexOf('/') + 1)}`,
    )
    try {
      const events = await watch.until(({ object }) => isSo(object))
      return events.at(-1).object
    } finally {
      watch.close()
    }
  }

  it('begins with the schemas and levels of every cluster', async () => {
    const levels = accepted(await client().get(LEVELS)).items
    expect(levels.map(({ metadata }: Json) => metadata.name)).toEqual([
      'catch-all',
      'exempt',
      'global-default',
      'leader-election',
      'node-high',
      'system',
      'workload-high',
      'workload-low',
    ])
    const schemas = accepted(await client().get(SCHEMAS)).items
    expect(schemas).toHaveLength(11)
    for (const { metadata } of [...levels, ...schemas]) {
      expect(metadata.generation).toBe(1)
      expect(metadata.annotations).toEqual({ 'apf.kubernetes.io/autoupdate-spec': 'true' })
    }
    const known = schemas.find(({ metadata }: Json) => metadata.name === 'system-leader-election')
    expect(known.spec).toMatchObject({
      matchingPrecedence: 100,
      priorityLevelConfiguration: { name: 'leader-election' },
      distinguisherMethod: { type: 'ByUser' },
    })
  })

  it('fills in what a schema and a level leave out', async () => {
    const made = accepted(await client().post(SCHEMAS, schema('defaulted')))
    expect(made).toMatchObject({ metadata: { generation: 1 }, spec: { matchingPrecedence: 1000 } })
    expect(made.status).toEqual({})
    const level = accepted(await client().post(LEVELS, limited('defaulted', { type: 'Queue', queuing: {} })))
    expect(level.spec.limited).toEqual({
      nominalConcurrencyShares: 30,
      lendablePercent: 0,
      limitResponse: { type: 'Queue', queuing: { queues: 64, handSize: 8, queueLengthLimit: 50 } },
    })
    const none = accepted(
      await client().post(LEVELS, limited('none', undefined, { nominalConcurrencyShares: 0 })),
    )
    expect(none.spec.limited.nominalConcurrencyShares).toBe(0)
  })

  it('says of a schema whether its level is there', async () => {
    accepted(
      await client().post(SCHEMAS, schema('dangling', { priorityLevelConfiguration: { name: 'late' } })),
    )
    const conditionOf = (body: Json) => body.status?.conditions?.find(({ type }: Json) => type === 'Dangling')
    const missing = await until(`${SCHEMAS}/dangling`, (body) => conditionOf(body) !== undefined)
    expect(conditionOf(missing)).toMatchObject({
      status: 'True',
      reason: 'NotFound',
      message:
        'This FlowSchema references the PriorityLevelConfiguration object named "late" but there is no such object',
    })
    accepted(await client().post(LEVELS, limited('late')))
    const found = await until(`${SCHEMAS}/dangling`, (body) => conditionOf(body)?.status === 'False')
    expect(conditionOf(found)).toMatchObject({ reason: 'Found' })
  })

  it('keeps the spec of the mandatory ones', async () => {
    const schemaAnswer = await client().patch(`${SCHEMAS}/catch-all`, { spec: { matchingPrecedence: 9000 } })
    expect(schemaAnswer.status).toBe(422)
    expect(schemaAnswer.body.message).toBe(
      `FlowSchema.flowcontrol.apiserver.k8s.io "catch-all" is invalid: spec: Invalid value: {"PriorityLevelConfiguration":{"Name":"catch-all"},"MatchingPrecedence":9000,"DistinguisherMethod":{"Type":"ByUser"},"Rules":[{"Subjects":[{"Kind":"Group","User":null,"Group":{"Name":"system:unauthenticated"},"ServiceAccount":null},{"Kind":"Group","User":null,"Group":{"Name":"system:authenticated"},"ServiceAccount":null}],"ResourceRules":[{"Verbs":["*"],"APIGroups":["*"],"Resources":["*"],"ClusterScope":true,"Namespaces":["*"]}],"NonResourceRules":[{"Verbs":["*"],"NonResourceURLs":["*"]}]}]}: spec of 'catch-all' must equal the fixed value`,
    )
    const limits = { limited: { nominalConcurrencyShares: 6 } }
    const fixed = await client().patch(`${LEVELS}/catch-all`, { spec: limits })
    expect(fixed.body.message).toBe(
      `PriorityLevelConfiguration.flowcontrol.apiserver.k8s.io "catch-all" is invalid: spec: Invalid value: {"Type":"Limited","Limited":{"NominalConcurrencyShares":6,"LimitResponse":{"Type":"Reject","Queuing":null},"LendablePercent":0,"BorrowingLimitPercent":null},"Exempt":null}: spec of 'catch-all' must equal the fixed value`,
    )
    const levelAnswer = await client().patch(`${LEVELS}/exempt`, { spec: { exempt: { lendablePercent: 5 } } })
    expect(accepted(levelAnswer).spec.exempt.lendablePercent).toBe(5)
    accepted(await client().patch(`${LEVELS}/exempt`, { spec: { exempt: { lendablePercent: 0 } } }))
  })

  it('is shown in tables', async () => {
    const cells = async (path: string) => accepted(await client().get(path, TABLE)).rows[0].cells
    expect(await cells(`${SCHEMAS}/probes`)).toMatchObject([
      'probes',
      'exempt',
      2,
      '<none>',
      expect.any(String),
      'False',
    ])
    expect(await cells(`${LEVELS}/system`)).toMatchObject([
      'system',
      'Limited',
      30,
      64,
      6,
      50,
      expect.any(String),
    ])
    expect(await cells(`${LEVELS}/exempt`)).toMatchObject([
      'exempt',
      'Exempt',
      '<none>',
      '<none>',
      '<none>',
      '<none>',
      expect.any(String),
    ])
  })
}
