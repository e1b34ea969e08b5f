import { expect, it } from 'vitest'
import { policyPath } from '../scene.ts'
import type { PolicyObjects } from './scene.ts'

/** Expressions that a policy may have, and what is said of the others. */
export function describePolicyExpressions({ place, validating, causes }: PolicyObjects): void {
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
  ])('says what is wrong with %s', async (expression, why) => {
    const variables = [{ name: 'known', expression: '1' }]
    const [first] = await causes(
      policyPath('validating'),
      validating({ variables, validations: [{ expression }] }),
    )
    expect(first).toContain(`spec.validations[0].expression: Invalid value: ${JSON.stringify(expression)}: `)
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

  it('reports constants that cannot be evaluated as an internal error', async () => {
    const validations = [{ expression: "int('x') == 1" }]
    expect(await causes(policyPath('validating'), validating({ validations }))).toEqual([
      "spec.validations[0].expression: Internal error: program instantiation failed: type conversion error from 'string' to 'int'",
    ])
  })
}
