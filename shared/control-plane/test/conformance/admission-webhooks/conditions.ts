import { afterEach, expect, it } from 'vitest'
import type { Json } from '../../../../../test/support/raw-client.ts'
import { accepted, describeIn, type Subject } from '../subject.ts'
import { allow, outcomeOf, rule, useHooks } from './hooks.ts'

const condition = (expression: string, name = 'c'): Json => ({ name, expression })

/** Describes match conditions: CEL that says which requests a webhook is asked about. */
export function describeConditions(subject: Subject): void {
  describeIn(subject, 'admission-conditions', (place) => {
    const hooks = useHooks(place)
    let current: string | undefined
    const register = async (name: string, webhook: Json) => {
      await hooks.register('validating', name, { rules: [rule('configmaps')], ...webhook })
      current = name
    }
    const isAsked = (name: string): boolean => hooks.reviewsOf(name).length > 0
    const post = (name: string, data: Json = {}) =>
      place.client.post(place.path('configmaps'), { metadata: { name }, data })
    afterEach(async () => {
      hooks.answer((review) => allow(review))
      if (current !== undefined) await hooks.remove('validating', current)
      current = undefined
    })

    it.each([
      ['the object', `object.data['k'] == 'yes'`],
      ['the request', `request.operation == 'CREATE' && request.name == 'request' || object.data.k == 'yes'`],
      ['access', `authorizer.group('').resource('pods').check('create').allowed() && object.data.k == 'yes'`],
    ])('look at %s', async (what, expression) => {
      const name = what.replaceAll(' ', '-')
      await register(`${name}-condition`, {
        matchConditions: [condition('true', 'a'), condition(expression, 'b')],
      })
      accepted(await post(`${name}-yes`, { k: 'yes' }))
      accepted(await post(`${name}-no`, { k: 'no' }))
      expect([isAsked(`${name}-yes`), isAsked(`${name}-no`)]).toEqual([true, false])
    })

    it('refuse the request where they fail, unless failures are to be ignored', async () => {
      const matchConditions = [
        condition(`object.data.missing == 'x'`, 'a'),
        condition('object.data.k > 1', 'b'),
      ]
      await register('failing', { matchConditions })
      expect(outcomeOf(await post('failing', { k: 'v' }))).toEqual([
        403,
        'Forbidden',
        `configmaps "failing" is forbidden: [expression 'object.data.missing == 'x'' resulted in error: no such key: missing, expression 'object.data.k > 1' resulted in error: no such overload]`,
      ])
      await hooks.remove('validating', 'failing')
      await register('ignoring', { matchConditions, failurePolicy: 'Ignore' })
      expect((await post('ignoring', { k: 'v' })).status).toBe(201)
      expect(isAsked('ignoring')).toBe(false)
    })

    it('skip the webhook where one of them is false, whatever becomes of the others', async () => {
      await register('skipping', {
        matchConditions: [condition('object.data.missing == 1', 'a'), condition('false', 'b')],
      })
      expect((await post('skipping')).status).toBe(201)
      expect(isAsked('skipping')).toBe(false)
    })
  })
}
