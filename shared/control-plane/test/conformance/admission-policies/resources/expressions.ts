import { expect, it } from 'vitest'
import { policyPath } from '../scene.ts'
import type { PolicyObjects } from './scene.ts'

/** Expressions that a policy may have. */
export function describePolicyExpressions({ place, validating }: PolicyObjects): void {
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
}
