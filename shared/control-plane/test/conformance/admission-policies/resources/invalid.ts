import { expect, it } from 'vitest'
import type { Json } from '../../../../../../test/support/raw-client.ts'
import { bindingPath, policyPath } from '../scene.ts'
import type { PolicyObjects } from './scene.ts'

/** Describes why policies and bindings are refused. */
export function describeInvalidPolicies({ validating, mutating, causes }: PolicyObjects): void {
  it.each<[string[], Json]>([
    [
      [
        'spec.matchConstraints: Required value',
        'spec.validations: Required value: validations or auditAnnotations must contain at least one item',
        'spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item',
      ],
      { matchConstraints: undefined, validations: undefined },
    ],
    [
      ['spec.failurePolicy: Unsupported value: "Maybe": supported values: "Fail", "Ignore"'],
      { failurePolicy: 'Maybe' },
    ],
    [
      [
        'spec.matchConstraints.matchPolicy: Unsupported value: "Loose": supported values: "Equivalent", "Exact"',
        'spec.matchConstraints.resourceRules: Required value',
      ],
      { matchConstraints: { matchPolicy: 'Loose' } },
    ],
    [
      [
        'spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
        expect.stringContaining(
          'spec.paramKind.kind: Invalid value: "No_Kind": may have mixed case, but should otherwise match: a DNS-1035 label',
        ),
      ],
      { paramKind: { apiVersion: 'a/b/c', kind: 'No_Kind' } },
    ],
    [
      [
        'spec.validations[0].expression: Required value: expression is not specified',
        'spec.validations[0].messageExpression: Invalid value: " ": must be non-empty if specified',
        'spec.validations[0].message: Invalid value: " ": must be non-empty if specified',
        'spec.validations[0].reason: Unsupported value: "Because": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
      ],
      { validations: [{ expression: ' ', message: ' ', reason: 'Because', messageExpression: ' ' }] },
    ],
    [
      [
        'spec.variables[0].name: Invalid value: "in": must be a valid CEL identifier',
        'spec.variables[1].name: Required value: name is not specified',
        'spec.variables[1].expression: Required value: expression is not specified',
      ],
      {
        variables: [
          { name: 'in', expression: '1' },
          { name: '', expression: '' },
        ],
      },
    ],
    [
      [
        expect.stringContaining(
          'spec.auditAnnotations[0].key: Invalid value: "resources.example.com/a b": name part must consist of',
        ),
        'spec.auditAnnotations[0].valueExpression: Required value: valueExpression is not specified',
        'spec.auditAnnotations[1].valueExpression: Invalid value: "1": must evaluate to one of [string null_type] but got int',
      ],
      {
        auditAnnotations: [
          { key: 'a b', valueExpression: '' },
          { key: 'c', valueExpression: '1' },
        ],
      },
    ],
    [
      [
        'spec.matchConditions[0].expression: Invalid value: "1": must evaluate to bool but got int',
        expect.stringContaining(
          'spec.matchConditions[0].name: Invalid value: "a b": name part must consist of',
        ),
        'spec.matchConditions[1].expression: Required value',
        'spec.matchConditions[1].name: Required value',
      ],
      {
        matchConditions: [
          { name: 'a b', expression: '1' },
          { name: '', expression: '' },
        ],
      },
    ],
  ])('refuses a validating policy: %s', async (wanted, spec) => {
    expect(await causes(policyPath('validating'), validating(spec))).toEqual(wanted)
  })

  it.each<[string[], Json]>([
    [
      [
        'spec.mutations: Required value: mutations must contain at least one item',
        'spec.reinvocationPolicy: Unsupported value: "Often": supported values: "IfNeeded", "Never"',
      ],
      { mutations: [], reinvocationPolicy: 'Often' },
    ],
    [
      [
        'spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
      ],
      {
        matchConstraints: {
          resourceRules: [
            { apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['pods'] },
          ],
        },
      },
    ],
    [
      [
        'spec.mutations[0].patchType: Unsupported value: "Merge": supported values: "ApplyConfiguration", "JSONPatch"',
      ],
      { mutations: [{ patchType: 'Merge' }] },
    ],
    [
      [
        'spec.mutations[0].jsonPatch: Required value: must be specified when patchType is JSONPatch',
        'spec.mutations[0].applyConfiguration: Invalid value: "{applyConfiguration}": must not be specified when patchType is JSONPatch',
      ],
      { mutations: [{ patchType: 'JSONPatch', applyConfiguration: { expression: 'Object{}' } }] },
    ],
    [
      [
        'spec.mutations[0].applyConfiguration.expression: Invalid value: "{}": must evaluate to Object but got map(dyn, dyn)',
      ],
      { mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: '{}' } }] },
    ],
    [
      [expect.stringContaining("expected type of field 'op' is 'string' but provided type is 'int'")],
      { mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: 1}]' } }] },
    ],
  ])('refuses a mutating policy: %s', async (wanted, spec) => {
    expect(await causes(policyPath('mutating'), mutating(spec))).toEqual(wanted)
  })

  it.each<[string[], Json]>([
    [
      [
        'spec.policyName: Required value',
        'spec.validationActions: Required value: at least one validation action is required',
      ],
      {},
    ],
    [
      [
        'spec.validationActions[2]: Unsupported value: "Tell": supported values: "Audit", "Deny", "Warn"',
        'spec.validationActions[3]: Duplicate value: "Deny"',
        'spec.validationActions: Invalid value: ["Deny","Warn","Tell","Deny"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
      ],
      { policyName: 'a', validationActions: ['Deny', 'Warn', 'Tell', 'Deny'] },
    ],
    [
      [
        expect.stringContaining('spec.policyName: Invalid value: "A": a lowercase RFC 1123 subdomain'),
        'spec.paramRef.name: Forbidden: name and selector are mutually exclusive',
        'spec.paramRef.selector: Forbidden: name and selector are mutually exclusive',
        'spec.paramRef.parameterNotFoundAction: Unsupported value: "Shrug": supported values: "Deny", "Allow"',
      ],
      {
        policyName: 'A',
        validationActions: ['Deny'],
        paramRef: { name: 'x', selector: {}, parameterNotFoundAction: 'Shrug' },
      },
    ],
    [
      [
        'spec.paramRef: Required value: one of name or selector must be specified',
        'spec.paramRef.parameterNotFoundAction: Required value',
      ],
      { policyName: 'a', validationActions: ['Deny'], paramRef: {} },
    ],
  ])('refuses a binding: %s', async (wanted, spec) => {
    expect(await causes(bindingPath('validating'), { metadata: { name: 'resources' }, spec })).toEqual(wanted)
  })
}
