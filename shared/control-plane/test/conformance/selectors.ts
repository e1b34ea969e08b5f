import { beforeAll, expect, it } from 'vitest'
import type { RawResponse } from '../../../../test/support/raw-client.ts'
import { describeIn, type Subject } from './subject.ts'

/** Selectors with texts that only a program sends. */
export function describeSelectors(subject: Subject): void {
  describeIn(subject, 'selectors', (place) => {
    beforeAll(async () => {
      const labels = { n: '9223372036854775807' }
      await place.create('configmaps', { metadata: { name: 'labelled', labels } })
      await place.create('configmaps', { metadata: { name: 'bare' } })
    })
    const list = (labelSelector: string): Promise<RawResponse> =>
      place.client.get(`${place.path('configmaps')}?labelSelector=${encodeURIComponent(labelSelector)}`)

    it.each<[string, string[]]>([
      ['constructor', []],
      ['!constructor', ['bare', 'labelled']],
      ['toString notin (x)', ['bare', 'labelled']],
      ['n>9223372036854775806', ['labelled']],
    ])('of labels match labels alone: %s', async (selector, names) => {
      const { body } = await list(selector)
      expect(body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual(names)
    })

    it.each([
      ['n=\u0001', String.raw`values[0][n]: Invalid value: "\x01": a valid label must be`],
      ['n in (\u00a0)', String.raw`values[0][n]: Invalid value: "\u00a0": a valid label must be`],
      ['n\u0001=x', String.raw`<nil>: Invalid value: "n\x01": name part must consist`],
      ['n>9223372036854775808', `values[0]: Invalid value: "9223372036854775808": for 'Gt', 'Lt' operators`],
    ])('are quoted as Go does where they cannot be read: %j', async (selector, text) => {
      const { status, body } = await list(selector)
      expect([status, body.message]).toEqual([
        400,
        expect.stringContaining(`unable to parse requirement: ${text}`),
      ])
    })

    it('begin no watch at a version that no server comes to', async () => {
      const version = '18446744073709551616'
      const { status, body } = await place.client.get(
        `${place.path('configmaps')}?watch=1&timeoutSeconds=1&resourceVersion=${version}`,
      )
      expect([status, body.message]).toEqual([
        500,
        `resourceVersion: Invalid value: "${version}": strconv.ParseUint: parsing "${version}": value out of range`,
      ])
    })
  })
}
