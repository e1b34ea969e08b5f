import { afterAll, expect, it } from 'vitest'
import type { Json } from '../../support/raw-client.ts'
import { accepted, describeIn, type Subject } from '../subject.ts'
import { bindingPath, constraints, policyPath } from './scene.ts'

/** Policies and bindings as objects: defaults, validation, generations, columns. */
export function describePolicyResources(subject: Subject): void {
  describeIn(subject, 'policy-resources', (place) => {
    const made: string[] = []
    afterAll(async () => {
      for (const path of made) await place.client.delete(path)
    })
    const matchConstraints = constraints(place.namespace)
    const validating = (spec: Json = {}): Json => ({
      metadata: { name: 'resources.example.com' },
      spec: { matchConstraints, validations: [{ expression: 'true' }], ...spec },
    })
    const mutating = (spec: Json = {}): Json => ({
      metadata: { name: 'resources.example.com' },
      spec: {
        matchConstraints,
        reinvocationPolicy: 'Never',
        mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }],
        ...spec,
      },
    })
    const causes = async (path: string, object: Json): Promise<string[]> => {
      const { status, body } = await place.client.post(`${path}?dryRun=All`, object)
      expect([status, body.reason]).toEqual([422, 'Invalid'])
      return body.details.causes.map(({ field, message }: Json) => `${field}: ${message}`)
    }

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
      const told = accepted(
        await place.client.patch(`${path}/${name}/status`, {
          spec: { failurePolicy: 'Ignore' },
          status: { observedGeneration: 1, typeChecking },
        }),
      )
      expect([told.status, told.spec.failurePolicy]).toEqual([
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

    it.each<[string, Json, string[]]>([
      [
        'nothing',
        { matchConstraints: undefined, validations: undefined },
        [
          'spec.matchConstraints: Required value',
          'spec.validations: Required value: validations or auditAnnotations must contain at least one item',
          'spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item',
        ],
      ],
      [
        'an unknown failure policy',
        { failurePolicy: 'Maybe' },
        ['spec.failurePolicy: Unsupported value: "Maybe": supported values: "Fail", "Ignore"'],
      ],
      [
        'constraints without rules',
        { matchConstraints: { matchPolicy: 'Loose' } },
        [
          'spec.matchConstraints.matchPolicy: Unsupported value: "Loose": supported values: "Equivalent", "Exact"',
          'spec.matchConstraints.resourceRules: Required value',
        ],
      ],
      [
        'a kind of parameters that is none',
        { paramKind: { apiVersion: 'a/b/c', kind: 'No_Kind' } },
        [
          'spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
          expect.stringContaining(
            'spec.paramKind.kind: Invalid value: "No_Kind": may have mixed case, but should otherwise match: a DNS-1035 label',
          ),
        ],
      ],
      [
        'no text',
        { validations: [{ expression: ' ', message: ' ', reason: 'Because', messageExpression: ' ' }] },
        [
          'spec.validations[0].expression: Required value: expression is not specified',
          'spec.validations[0].messageExpression: Invalid value: " ": must be non-empty if specified',
          'spec.validations[0].message: Invalid value: " ": must be non-empty if specified',
          'spec.validations[0].reason: Unsupported value: "Because": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
        ],
      ],
      [
        'variables that are none',
        {
          variables: [
            { name: 'in', expression: '1' },
            { name: '', expression: '' },
          ],
        },
        [
          'spec.variables[0].name: Invalid value: "in": must be a valid CEL identifier',
          'spec.variables[1].name: Required value: name is not specified',
          'spec.variables[1].expression: Required value: expression is not specified',
        ],
      ],
      [
        'annotations that are none',
        {
          auditAnnotations: [
            { key: 'a b', valueExpression: '' },
            { key: 'c', valueExpression: '1' },
          ],
        },
        [
          expect.stringContaining(
            'spec.auditAnnotations[0].key: Invalid value: "resources.example.com/a b": name part must consist of',
          ),
          'spec.auditAnnotations[0].valueExpression: Required value: valueExpression is not specified',
          'spec.auditAnnotations[1].valueExpression: Invalid value: "1": must evaluate to one of [string null_type] but got int',
        ],
      ],
      [
        'conditions that are none',
        {
          matchConditions: [
            { name: 'a b', expression: '1' },
            { name: '', expression: '' },
          ],
        },
        [
          'spec.matchConditions[0].expression: Invalid value: "1": must evaluate to bool but got int',
          expect.stringContaining(
            'spec.matchConditions[0].name: Invalid value: "a b": name part must consist of',
          ),
          'spec.matchConditions[1].expression: Required value',
          'spec.matchConditions[1].name: Required value',
        ],
      ],
    ])('refuses a validating policy with %s', async (_what, spec, wanted) => {
      expect(await causes(policyPath('validating'), validating(spec))).toEqual(wanted)
    })

    it.each([
      ['object.spec.replicas >', "ERROR: <input>:1:23: Syntax error: mismatched input '<EOF>' expecting"],
      ['foo == 1', "ERROR: <input>:1:1: undeclared reference to 'foo' (in container '')\n | foo == 1\n | ^"],
      ['request.nope == 1', "ERROR: <input>:1:8: undefined field 'nope'"],
      ['request.name == 1', "found no matching overload for '_==_' applied to '(string, int)'"],
      ['params.x == 1', "undeclared reference to 'params'"],
      ['variables.missing', "undefined field 'missing'"],
      ['object.spec.replicas', 'must evaluate to bool but got dyn'],
      ["'a'.matches('[')", 'invalid matches argument'],
      ['namespaceObject.metadata.managedFields.size() == 0', "undefined field 'managedFields'"],
      [
        "authorizer.group('').allowed()",
        "found no matching overload for 'allowed' applied to 'kubernetes.authorization.GroupCheck.()'",
      ],
      ['[1, "a"].size() == 2', "expected type 'int' but found 'string'"],
    ])('tells what is wrong with %s', async (expression, why) => {
      const variables = [{ name: 'known', expression: '1' }]
      const [first] = await causes(
        policyPath('validating'),
        validating({ variables, validations: [{ expression }] }),
      )
      expect(first).toContain(
        `spec.validations[0].expression: Invalid value: ${JSON.stringify(expression)}: `,
      )
      expect(first).toContain(why)
    })

    it.each([
      "variables.list.exists(x, x == 'a')",
      "authorizer.group('').resource('pods').namespace('a').check('get').allowed()",
      "authorizer.requestResource.check('create').allowed() && authorizer.path('/a').check('get').reason() == ''",
      "has(object.metadata.labels) && object.metadata.?labels.x.orValue('') == ''",
      "quantity('1Gi').isGreaterThan(quantity('1M')) && ip('::1').family() == 6",
      "format.dns1123Label().validate('a') == optional.none()",
      "namespaceObject.metadata.labels['a'] == request.userInfo.username",
      'object.spec.all(i, v, v == i) && [1].transformList(i, v, v) == [1]',
    ])('takes %s', async (expression) => {
      const variables = [{ name: 'list', expression: "['a', 'b']" }]
      const policy = validating({ variables, validations: [{ expression }] })
      expect((await place.client.post(`${policyPath('validating')}?dryRun=All`, policy)).status).toBe(201)
    })

    it.each<[string, Json, string[]]>([
      [
        'no mutations',
        { mutations: [], reinvocationPolicy: 'Often' },
        [
          'spec.mutations: Required value: mutations must contain at least one item',
          'spec.reinvocationPolicy: Unsupported value: "Often": supported values: "IfNeeded", "Never"',
        ],
      ],
      [
        'a deletion',
        {
          matchConstraints: {
            resourceRules: [
              { apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['pods'] },
            ],
          },
        },
        [
          'spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
        ],
      ],
      [
        'an unknown patch',
        { mutations: [{ patchType: 'Merge' }] },
        [
          'spec.mutations[0].patchType: Unsupported value: "Merge": supported values: "ApplyConfiguration", "JSONPatch"',
        ],
      ],
      [
        'the other patch',
        { mutations: [{ patchType: 'JSONPatch', applyConfiguration: { expression: 'Object{}' } }] },
        [
          'spec.mutations[0].jsonPatch: Required value: must be specified when patchType is JSONPatch',
          'spec.mutations[0].applyConfiguration: Invalid value: "{applyConfiguration}": must not be specified when patchType is JSONPatch',
        ],
      ],
      [
        'a value of another type',
        { mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: '{}' } }] },
        [
          'spec.mutations[0].applyConfiguration.expression: Invalid value: "{}": must evaluate to Object but got map(dyn, dyn)',
        ],
      ],
      [
        'a patch of another type',
        { mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: 1}]' } }] },
        [expect.stringContaining("expected type of field 'op' is 'string' but provided type is 'int'")],
      ],
    ])('refuses a mutating policy with %s', async (_what, spec, wanted) => {
      expect(await causes(policyPath('mutating'), mutating(spec))).toEqual(wanted)
    })

    it.each<[string, Json, string[]]>([
      [
        'nothing',
        {},
        [
          'spec.policyName: Required value',
          'spec.validationActions: Required value: at least one validation action is required',
        ],
      ],
      [
        'actions that do not go together',
        { policyName: 'a', validationActions: ['Deny', 'Warn', 'Tell', 'Deny'] },
        [
          'spec.validationActions[2]: Unsupported value: "Tell": supported values: "Audit", "Deny", "Warn"',
          'spec.validationActions[3]: Duplicate value: "Deny"',
          'spec.validationActions: Invalid value: ["Deny","Warn","Tell","Deny"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
        ],
      ],
      [
        'a name and a selector',
        {
          policyName: 'A',
          validationActions: ['Deny'],
          paramRef: { name: 'x', selector: {}, parameterNotFoundAction: 'Shrug' },
        },
        [
          expect.stringContaining('spec.policyName: Invalid value: "A": a lowercase RFC 1123 subdomain'),
          'spec.paramRef.name: Forbidden: name and selector are mutually exclusive',
          'spec.paramRef.selector: Forbidden: name and selector are mutually exclusive',
          'spec.paramRef.parameterNotFoundAction: Unsupported value: "Shrug": supported values: "Deny", "Allow"',
        ],
      ],
      [
        'neither a name nor a selector',
        { policyName: 'a', validationActions: ['Deny'], paramRef: {} },
        [
          'spec.paramRef: Required value: one of name or selector must be specified',
          'spec.paramRef.parameterNotFoundAction: Required value',
        ],
      ],
    ])('refuses a binding with %s', async (_what, spec, wanted) => {
      expect(await causes(bindingPath('validating'), { metadata: { name: 'resources' }, spec })).toEqual(
        wanted,
      )
    })

    it('tells of constants that cannot be evaluated as of a failure of its own', async () => {
      const validations = [{ expression: "int('x') == 1" }]
      expect(await causes(policyPath('validating'), validating({ validations }))).toEqual([
        "spec.validations[0].expression: Internal error: program instantiation failed: type conversion error from 'string' to 'int'",
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
  })
}
