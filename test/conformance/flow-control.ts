import { describe, expect, it } from 'vitest'
import type { Json, RawResponse } from '../support/raw-client.ts'
import { accepted, type Subject } from './subject.ts'

const GROUP = '/apis/flowcontrol.apiserver.k8s.io/v1'
const SCHEMAS = `${GROUP}/flowschemas`
const LEVELS = `${GROUP}/prioritylevelconfigurations`
const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }

const rule = {
  subjects: [{ kind: 'User', user: { name: 'nobody-at-all' } }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
}
const schema = (name: string, spec: Json = {}): Json => ({
  metadata: { name },
  spec: { priorityLevelConfiguration: { name: 'global-default' }, rules: [rule], ...spec },
})
const limited = (name: string, response: Json = { type: 'Reject' }, more: Json = {}): Json => ({
  metadata: { name },
  spec: { type: 'Limited', limited: { limitResponse: response, ...more } },
})

export function describeFlowControl(subject: Subject): void {
  describe('flow control', () => {
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

    it('tells of every answer which schema and level its request belongs to', async () => {
      const uidOf = async (path: string) => accepted(await client().get(path)).metadata.uid
      const told = ({ headers }: RawResponse) => [
        headers['x-kubernetes-pf-flowschema-uid'],
        headers['x-kubernetes-pf-prioritylevel-uid'],
      ]
      const exempt = [await uidOf(`${SCHEMAS}/exempt`), await uidOf(`${LEVELS}/exempt`)]
      expect(told(await client().get('/api/v1/namespaces/default'))).toEqual(exempt)
      const impersonate = { 'impersonate-user': 'somebody', 'impersonate-group': 'system:authenticated' }
      const usual = [await uidOf(`${SCHEMAS}/global-default`), await uidOf(`${LEVELS}/global-default`)]
      const refused = await client().get('/api/v1/namespaces/default', impersonate)
      expect(refused.status).toBe(403)
      expect(told(refused)).toEqual(usual)
      const account = { 'impersonate-user': 'system:serviceaccount:kube-system:any' }
      const system = [
        await uidOf(`${SCHEMAS}/kube-system-service-accounts`),
        await uidOf(`${LEVELS}/workload-high`),
      ]
      expect(told(await client().get('/api/v1/pods', account))).toEqual(system)
      const probe = [await uidOf(`${SCHEMAS}/probes`), exempt[1]]
      expect(told(await client().get('/readyz', impersonate))).toEqual(probe)
    })

    it('fills in what a schema and a level leave out', async () => {
      const made = accepted(await client().post(SCHEMAS, schema('defaulted')))
      expect(made).toMatchObject({ metadata: { generation: 1 }, spec: { matchingPrecedence: 1000 } })
      expect(made.status).toEqual({})
      const level = accepted(
        await client().post(LEVELS, limited('defaulted', { type: 'Queue', queuing: {} })),
      )
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
      const conditionOf = (body: Json) =>
        body.status?.conditions?.find(({ type }: Json) => type === 'Dangling')
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

    it('counts generations by the spec and keeps status apart', async () => {
      accepted(await client().post(SCHEMAS, schema('counted')))
      const path = `${SCHEMAS}/counted`
      const status = { conditions: [{ type: 'Own', status: 'False', reason: 'Test' }] }
      const change = { metadata: { labels: { a: 'b' } }, spec: { matchingPrecedence: 7 }, status }
      const changed = accepted(await client().patch(path, change))
      expect(changed).toMatchObject({
        metadata: { generation: 2, labels: { a: 'b' } },
        spec: { matchingPrecedence: 7 },
      })
      expect(changed.status.conditions ?? []).not.toMatchObject([{ type: 'Own' }])
      const other = { metadata: { labels: { a: 'c' } }, spec: { matchingPrecedence: 8 }, status }
      const told = accepted(await client().patch(`${path}/status`, other))
      expect(told).toMatchObject({
        metadata: { generation: 2, labels: { a: 'b' } },
        spec: { matchingPrecedence: 7 },
        status,
      })
    })

    it('keeps the spec of the mandatory ones', async () => {
      const schemaAnswer = await client().patch(`${SCHEMAS}/catch-all`, {
        spec: { matchingPrecedence: 9000 },
      })
      expect(schemaAnswer.status).toBe(422)
      expect(schemaAnswer.body.message).toBe(
        `FlowSchema.flowcontrol.apiserver.k8s.io "catch-all" is invalid: spec: Invalid value: {"PriorityLevelConfiguration":{"Name":"catch-all"},"MatchingPrecedence":9000,"DistinguisherMethod":{"Type":"ByUser"},"Rules":[{"Subjects":[{"Kind":"Group","User":null,"Group":{"Name":"system:unauthenticated"},"ServiceAccount":null},{"Kind":"Group","User":null,"Group":{"Name":"system:authenticated"},"ServiceAccount":null}],"ResourceRules":[{"Verbs":["*"],"APIGroups":["*"],"Resources":["*"],"ClusterScope":true,"Namespaces":["*"]}],"NonResourceRules":[{"Verbs":["*"],"NonResourceURLs":["*"]}]}]}: spec of 'catch-all' must equal the fixed value`,
      )
      const limits = { limited: { nominalConcurrencyShares: 6 } }
      const fixed = await client().patch(`${LEVELS}/catch-all`, { spec: limits })
      expect(fixed.body.message).toBe(
        `PriorityLevelConfiguration.flowcontrol.apiserver.k8s.io "catch-all" is invalid: spec: Invalid value: {"Type":"Limited","Limited":{"NominalConcurrencyShares":6,"LimitResponse":{"Type":"Reject","Queuing":null},"LendablePercent":0,"BorrowingLimitPercent":null},"Exempt":null}: spec of 'catch-all' must equal the fixed value`,
      )
      const levelAnswer = await client().patch(`${LEVELS}/exempt`, {
        spec: { exempt: { lendablePercent: 5 } },
      })
      expect(accepted(levelAnswer).spec.exempt.lendablePercent).toBe(5)
      accepted(await client().patch(`${LEVELS}/exempt`, { spec: { exempt: { lendablePercent: 0 } } }))
    })

    it.each([
      [
        'no level',
        { priorityLevelConfiguration: { name: '' } },
        'spec.priorityLevelConfiguration.name: Required value: must reference a priority level',
      ],
      [
        'the precedence of exempt',
        { matchingPrecedence: 1 },
        "spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1",
      ],
      [
        'a precedence out of range',
        { matchingPrecedence: 10001 },
        'spec.matchingPrecedence: Invalid value: 10001: must not be greater than 10000',
      ],
      [
        'an unknown method',
        { distinguisherMethod: { type: 'Odd' } },
        'spec.distinguisherMethod.type: Unsupported value: {"Type":"Odd"}: supported values: "ByNamespace", "ByUser"',
      ],
      [
        'a rule for nobody',
        { rules: [{ ...rule, subjects: [] }] },
        'spec.rules[0].subjects: Required value: subjects must contain at least one value',
      ],
      [
        'a rule for nothing',
        { rules: [{ subjects: rule.subjects }] },
        'spec.rules[0]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty',
      ],
      [
        'an unknown subject',
        { rules: [{ ...rule, subjects: [{ kind: 'Robot' }] }] },
        'spec.rules[0].subjects[0].kind: Unsupported value: "Robot": supported values: "Group", "ServiceAccount", "User"',
      ],
      [
        'a subject of two kinds',
        { rules: [{ ...rule, subjects: [{ kind: 'Group', user: { name: 'u' } }] }] },
        "[spec.rules[0].subjects[0].group: Required value: group is required when subject kind is 'Group', spec.rules[0].subjects[0].user: Forbidden: user is forbidden when subject kind is not 'User']",
      ],
      [
        'an unknown verb',
        { rules: [{ ...rule, nonResourceRules: [{ verbs: ['fly'], nonResourceURLs: ['/a'] }] }] },
        'spec.rules[0].nonResourceRules[0].verbs: Unsupported value: ["fly"]: supported values: "create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"',
      ],
      [
        'a path that is none',
        { rules: [{ ...rule, nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['a'] }] }] },
        'spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: "a": must start with slash',
      ],
      [
        'a resource rule without a scope',
        {
          rules: [
            {
              subjects: rule.subjects,
              resourceRules: [{ verbs: ['get'], apiGroups: ['*', 'a'], resources: ['*'] }],
            },
          ],
        },
        '[spec.rules[0].resourceRules[0].apiGroups: Invalid value: ["*","a"]: if \'*\' is present, must not specify other api groups, spec.rules[0].resourceRules[0].namespaces: Required value: resource rules that are not cluster scoped must supply at least one namespace]',
      ],
    ])('refuses a schema with %s', async (_, spec, errors) => {
      const { status, body } = await client().post(SCHEMAS, schema('refused', spec))
      expect(status).toBe(422)
      expect(body.message).toBe(`FlowSchema.flowcontrol.apiserver.k8s.io "refused" is invalid: ${errors}`)
    })

    it.each([
      [
        'two types',
        { type: 'Limited', exempt: {}, limited: { limitResponse: { type: 'Reject' } } },
        'spec.exempt: Forbidden: must be nil if the type is Limited',
      ],
      [
        'no limits',
        { type: 'Limited' },
        'spec.limited: Required value: must not be empty when type is Limited',
      ],
      [
        'the type of exempt',
        { type: 'Exempt' },
        "spec.type: Invalid value: \"Exempt\": must be 'Exempt' if and only if `name` is 'exempt'",
      ],
      [
        'an unknown type',
        { type: 'Odd' },
        'spec.type: Unsupported value: "Odd": supported values: "Exempt", "Limited"',
      ],
      [
        'negative shares',
        { type: 'Limited', limited: { nominalConcurrencyShares: -1, limitResponse: { type: 'Reject' } } },
        'spec.limited.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer',
      ],
      [
        'queues that are not asked for',
        { type: 'Limited', limited: { limitResponse: { type: 'Reject', queuing: {} } } },
        'spec.limited.limitResponse.queuing: Forbidden: must be nil if limited.limitResponse.type is not Limited',
      ],
      [
        'no queues',
        { type: 'Limited', limited: { limitResponse: { type: 'Queue' } } },
        'spec.limited.limitResponse.queuing: Required value: must not be empty if limited.limitResponse.type is Limited',
      ],
      [
        'hands larger than there are queues',
        {
          type: 'Limited',
          limited: { limitResponse: { type: 'Queue', queuing: { queues: 4, handSize: 5 } } },
        },
        'spec.limited.limitResponse.queuing.handSize: Invalid value: 5: should not be greater than queues (4)',
      ],
      [
        'hands of more bits than there are',
        {
          type: 'Limited',
          limited: { limitResponse: { type: 'Queue', queuing: { queues: 64, handSize: 11 } } },
        },
        'spec.limited.limitResponse.queuing.handSize: Invalid value: 11: required entropy bits of deckSize 64 and handSize 11 should not be greater than 60',
      ],
    ])('refuses a level with %s', async (_, spec, errors) => {
      const { status, body } = await client().post(LEVELS, { metadata: { name: 'refused' }, spec })
      expect(status).toBe(422)
      expect(body.message).toBe(
        `PriorityLevelConfiguration.flowcontrol.apiserver.k8s.io "refused" is invalid: ${errors}`,
      )
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

    it('is listed in tables by precedence', async () => {
      const { rows } = accepted(await client().get(SCHEMAS, TABLE))
      const precedences = rows.map(({ cells }: Json) => cells[2])
      expect(precedences).toEqual(precedences.toSorted((a: number, b: number) => a - b))
      expect(rows.slice(0, 2).map(({ cells }: Json) => cells[0])).toEqual(['exempt', 'probes'])
    })

    it('has owners of its labels, whatever a status says of them', async () => {
      const made = { ...schema('owned'), metadata: { name: 'owned', labels: { a: 'b' } } }
      const [owner] = accepted(await client().post(SCHEMAS, made)).metadata.managedFields
      const status = { conditions: [{ type: 'X', status: 'True' }] }
      const said = { ...schema('owned'), metadata: { name: 'owned', labels: { c: 'd' } }, status }
      const { metadata } = accepted(await client().put(`${SCHEMAS}/owned/status`, said))
      expect(metadata.labels).toEqual({ a: 'b' })
      // Who looks for the level of a schema may have written its status, too.
      const mine = metadata.managedFields.filter(({ manager }: Json) => manager === owner.manager)
      const by = (path: string | undefined) =>
        mine.find(({ subresource }: Json) => subresource === path).fieldsV1
      expect(by(undefined)).toEqual(owner.fieldsV1)
      expect(Object.keys(by('status'))).toEqual(['f:status'])
      accepted(await client().delete(`${SCHEMAS}/owned`))
    })

    it('is deleted as a collection', async () => {
      const labelled = { ...schema('gone'), metadata: { name: 'gone', labels: { end: 'yes' } } }
      accepted(await client().post(SCHEMAS, labelled))
      accepted(await client().delete(`${SCHEMAS}?labelSelector=end%3Dyes`))
      expect((await client().get(`${SCHEMAS}/gone`)).status).toBe(404)
    })
  })
}
