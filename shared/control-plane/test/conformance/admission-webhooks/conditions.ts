import { afterEach, expect, it } from 'vitest'
import type { Json } from '../../../../../test/support/raw-client.ts'
import { accepted, describeIn, type Subject } from '../subject.ts'
import { allow, outcomeOf, pathOf, rule, useHooks } from './hooks.ts'

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

    it.each<[string, string]>([
      ['must evaluate to bool but got int', '1'],
      [
        "compilation failed: ERROR: <input>:1:4: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | 1 +\n | ...^",
        '1 +',
      ],
      [
        "compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')\n | params.x == 1\n | ^",
        'params.x == 1',
      ],
      [
        "compilation failed: ERROR: <input>:1:8: undefined field 'object'\n | request.object.x == 1\n | .......^",
        'request.object.x == 1',
      ],
    ])('are refused with what is wrong where they are: %s', async (why, expression) => {
      const webhooks = [
        {
          name: 'a.example.com',
          clientConfig: { url: hooks.server.url },
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          matchConditions: [condition(expression)],
        },
      ]
      const { status, body } = await place.client.post(pathOf('validating'), {
        metadata: { name: 'bad' },
        webhooks,
      })
      expect(status).toBe(422)
      expect(body.details.causes).toHaveLength(1)
      const [{ field, message }] = body.details.causes
      expect(field).toBe('webhooks[0].matchConditions[0].expression')
      expect(message).toBe(`Invalid value: ${JSON.stringify(expression)}: ${why}`)
    })
  })
}
