import { expect, it } from 'vitest'
import type { Json } from '../../../../../test/support/raw-client.ts'
import type { Subject } from '../subject.ts'
import { LEVELS, rule, SCHEMAS, schema } from './scene.ts'

export function describeFlowControlValidation(subject: Subject): void {
  /** Returns why an object is refused, sorted. */
  async function problems(path: string, object: Json): Promise<string[]> {
    const { status, body } = await subject.client.post(path, object)
    expect(status).toBe(422)
    return body.details.causes.map(({ field, message }: Json) => `${field}: ${message}`).sort()
  }

  it('refuses a schema for all that is wrong with it', async () => {
    const { subjects } = rule
    const wrong = schema('refused', {
      priorityLevelConfiguration: { name: '' },
      matchingPrecedence: 10001,
      distinguisherMethod: { type: 'Odd' },
      rules: [
        { ...rule, subjects: [] },
        { subjects },
        { ...rule, subjects: [{ kind: 'Robot' }] },
        { ...rule, subjects: [{ kind: 'Group', user: { name: 'u' } }] },
        { ...rule, nonResourceRules: [{ verbs: ['fly'], nonResourceURLs: ['a'] }] },
        { subjects, resourceRules: [{ verbs: ['get'], apiGroups: ['*', 'a'], resources: ['*'] }] },
      ],
    })
    expect(await problems(SCHEMAS, wrong)).toEqual([
      'spec.distinguisherMethod.type: Unsupported value: {"Type":"Odd"}: supported values: "ByNamespace", "ByUser"',
      'spec.matchingPrecedence: Invalid value: 10001: must not be greater than 10000',
      'spec.priorityLevelConfiguration.name: Required value: must reference a priority level',
      'spec.rules[0].subjects: Required value: subjects must contain at least one value',
      'spec.rules[1]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty',
      'spec.rules[2].subjects[0].kind: Unsupported value: "Robot": supported values: "Group", "ServiceAccount", "User"',
      "spec.rules[3].subjects[0].group: Required value: group is required when subject kind is 'Group'",
      "spec.rules[3].subjects[0].user: Forbidden: user is forbidden when subject kind is not 'User'",
      'spec.rules[4].nonResourceRules[0].nonResourceURLs[0]: Invalid value: "a": must start with slash',
      'spec.rules[4].nonResourceRules[0].verbs: Unsupported value: ["fly"]: supported values: "create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"',
      'spec.rules[5].resourceRules[0].apiGroups: Invalid value: ["*","a"]: if \'*\' is present, must not specify other api groups',
      'spec.rules[5].resourceRules[0].namespaces: Required value: resource rules that are not cluster scoped must supply at least one namespace',
    ])
    expect(await problems(SCHEMAS, schema('refused', { matchingPrecedence: 1 }))).toEqual([
      "spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1",
    ])
  })

  const LIMITED = 'spec.limited'
  it.each<[Json, string[]]>([
    [
      {
        type: 'Limited',
        exempt: {},
        limited: { nominalConcurrencyShares: -1, limitResponse: { type: 'Reject', queuing: {} } },
      },
      [
        'spec.exempt: Forbidden: must be nil if the type is Limited',
        `${LIMITED}.limitResponse.queuing: Forbidden: must be nil if limited.limitResponse.type is not Limited`,
        `${LIMITED}.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer`,
      ],
    ],
    [{ type: 'Limited' }, [`${LIMITED}: Required value: must not be empty when type is Limited`]],
    [
      { type: 'Exempt' },
      ["spec.type: Invalid value: \"Exempt\": must be 'Exempt' if and only if `name` is 'exempt'"],
    ],
    [{ type: 'Odd' }, ['spec.type: Unsupported value: "Odd": supported values: "Exempt", "Limited"']],
    [
      { type: 'Limited', limited: { limitResponse: { type: 'Queue' } } },
      [
        `${LIMITED}.limitResponse.queuing: Required value: must not be empty if limited.limitResponse.type is Limited`,
      ],
    ],
    [
      { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: { queues: 4, handSize: 5 } } } },
      [`${LIMITED}.limitResponse.queuing.handSize: Invalid value: 5: should not be greater than queues (4)`],
    ],
    [
      {
        type: 'Limited',
        limited: { limitResponse: { type: 'Queue', queuing: { queues: 64, handSize: 11 } } },
      },
      [
        `${LIMITED}.limitResponse.queuing.handSize: Invalid value: 11: required entropy bits of deckSize 64 and handSize 11 should not be greater than 60`,
      ],
    ],
  ])('refuses the level %j', async (spec, expected) => {
    expect(await problems(LEVELS, { metadata: { name: 'refused' }, spec })).toEqual(expected)
  })
}
