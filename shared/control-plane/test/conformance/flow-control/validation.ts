import { expect, it } from 'vitest'
import type { Subject } from '../subject.ts'
import { LEVELS, rule, SCHEMAS, schema } from './scene.ts'

export function describeFlowControlValidation(subject: Subject): void {
  const client = () => subject.client

  it.each([
    [
      'spec.priorityLevelConfiguration.name: Required value: must reference a priority level',
      { priorityLevelConfiguration: { name: '' } },
    ],
    [
      "spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1",
      { matchingPrecedence: 1 },
    ],
    [
      'spec.matchingPrecedence: Invalid value: 10001: must not be greater than 10000',
      { matchingPrecedence: 10001 },
    ],
    [
      'spec.distinguisherMethod.type: Unsupported value: {"Type":"Odd"}: supported values: "ByNamespace", "ByUser"',
      { distinguisherMethod: { type: 'Odd' } },
    ],
    [
      'spec.rules[0].subjects: Required value: subjects must contain at least one value',
      { rules: [{ ...rule, subjects: [] }] },
    ],
    [
      'spec.rules[0]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty',
      { rules: [{ subjects: rule.subjects }] },
    ],
    [
      'spec.rules[0].subjects[0].kind: Unsupported value: "Robot": supported values: "Group", "ServiceAccount", "User"',
      { rules: [{ ...rule, subjects: [{ kind: 'Robot' }] }] },
    ],
    [
      "[spec.rules[0].subjects[0].group: Required value: group is required when subject kind is 'Group', spec.rules[0].subjects[0].user: Forbidden: user is forbidden when subject kind is not 'User']",
      { rules: [{ ...rule, subjects: [{ kind: 'Group', user: { name: 'u' } }] }] },
    ],
    [
      'spec.rules[0].nonResourceRules[0].verbs: Unsupported value: ["fly"]: supported values: "create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"',
      { rules: [{ ...rule, nonResourceRules: [{ verbs: ['fly'], nonResourceURLs: ['/a'] }] }] },
    ],
    [
      'spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: "a": must start with slash',
      { rules: [{ ...rule, nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['a'] }] }] },
    ],
    [
      '[spec.rules[0].resourceRules[0].apiGroups: Invalid value: ["*","a"]: if \'*\' is present, must not specify other api groups, spec.rules[0].resourceRules[0].namespaces: Required value: resource rules that are not cluster scoped must supply at least one namespace]',
      {
        rules: [
          {
            subjects: rule.subjects,
            resourceRules: [{ verbs: ['get'], apiGroups: ['*', 'a'], resources: ['*'] }],
          },
        ],
      },
    ],
  ])('refuses a schema: %s', async (errors, spec) => {
    const { status, body } = await client().post(SCHEMAS, schema('refused', spec))
    expect(status).toBe(422)
    expect(body.message).toBe(`FlowSchema.flowcontrol.apiserver.k8s.io "refused" is invalid: ${errors}`)
  })

  it.each([
    [
      'spec.exempt: Forbidden: must be nil if the type is Limited',
      { type: 'Limited', exempt: {}, limited: { limitResponse: { type: 'Reject' } } },
    ],
    ['spec.limited: Required value: must not be empty when type is Limited', { type: 'Limited' }],
    [
      "spec.type: Invalid value: \"Exempt\": must be 'Exempt' if and only if `name` is 'exempt'",
      { type: 'Exempt' },
    ],
    ['spec.type: Unsupported value: "Odd": supported values: "Exempt", "Limited"', { type: 'Odd' }],
    [
      'spec.limited.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer',
      { type: 'Limited', limited: { nominalConcurrencyShares: -1, limitResponse: { type: 'Reject' } } },
    ],
    [
      'spec.limited.limitResponse.queuing: Forbidden: must be nil if limited.limitResponse.type is not Limited',
      { type: 'Limited', limited: { limitResponse: { type: 'Reject', queuing: {} } } },
    ],
    [
      'spec.limited.limitResponse.queuing: Required value: must not be empty if limited.limitResponse.type is Limited',
      { type: 'Limited', limited: { limitResponse: { type: 'Queue' } } },
    ],
    [
      'spec.limited.limitResponse.queuing.handSize: Invalid value: 5: should not be greater than queues (4)',
      {
        type: 'Limited',
        limited: { limitResponse: { type: 'Queue', queuing: { queues: 4, handSize: 5 } } },
      },
    ],
    [
      'spec.limited.limitResponse.queuing.handSize: Invalid value: 11: required entropy bits of deckSize 64 and handSize 11 should not be greater than 60',
      {
        type: 'Limited',
        limited: { limitResponse: { type: 'Queue', queuing: { queues: 64, handSize: 11 } } },
      },
    ],
  ])('refuses a level: %s', async (errors, spec) => {
    const { status, body } = await client().post(LEVELS, { metadata: { name: 'refused' }, spec })
    expect(status).toBe(422)
    expect(body.message).toBe(
      `PriorityLevelConfiguration.flowcontrol.apiserver.k8s.io "refused" is invalid: ${errors}`,
    )
  })
}
