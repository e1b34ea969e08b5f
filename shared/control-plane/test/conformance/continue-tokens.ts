import { beforeAll, expect, it } from 'vitest'
import type { Json, RawResponse } from '../../../../test/support/raw-client.ts'
import { describeIn, type Subject } from './subject.ts'

const v = 'meta.k8s.io/v1'
const encoded = (token: unknown): string =>
  Buffer.from(typeof token === 'string' ? token : JSON.stringify(token)).toString('base64url')

/**
 * Describes continue tokens that no server has given: which parts of them count, and how the others are
 * refused.
 */
export function describeContinueTokens(subject: Subject): void {
  describeIn(subject, 'continue-tokens', (place) => {
    let revision = 0
    beforeAll(async () => {
      for (const name of ['a', 'b', 'c', 'd']) await place.create('secrets', { metadata: { name } })
      const { body } = await place.client.get(place.path('secrets'))
      revision = Number(body.metadata.resourceVersion)
    })
    const list = (token: string, query = ''): Promise<RawResponse> =>
      place.client.get(`${place.path('secrets')}?limit=2&continue=${encodeURIComponent(token)}${query}`)
    const namesOf = ({ body }: RawResponse): Json => body.items?.map(({ metadata }: Json) => metadata.name)

    it.each<[string, string, Json]>([
      ['a start', '"start":"b"', ['b', 'c']],
      ['a start with a slash', '"start":"/b"', ['b', 'c']],
      ['a start that is no key', '"start":"b/x"', ['c', 'd']],
      ['a start behind the last', '"start":"zzz"', []],
      ['a start before the first', '"start":"/"', ['a', 'b']],
      ['members in other cases, and more', '"START":"b","more":{}', ['b', 'c']],
    ])('count with %s', async (_, members, names) => {
      expect(namesOf(await list(encoded(`{"v":"${v}","Rv":${revision},${members}}`)))).toEqual(names)
    })

    it('count with ends of lines', async () => {
      const token = encoded({ v, rv: revision, start: 'b' })
      expect(namesOf(await list(`${token.slice(0, 8)}\r\n${token.slice(8)}`))).toEqual(['b', 'c'])
    })

    it('are of the latest state with any negative revision', async () => {
      const members = `"v":"${v}","start":"b"`
      expect(namesOf(await list(encoded(`{"rv":-7,${members}}`)))).toEqual(['b', 'c'])
      expect(namesOf(await list(encoded(`{"rv":-9223372036854775808,${members}}`)))).toEqual(['b', 'c'])
    })

    it.each(['9223372036854775807'])('are refused at a revision that has not come: %s', async (rv) => {
      const { status, body } = await list(encoded(`{"v":"${v}","rv":${rv},"start":"b"}`))
      expect([status, body.reason, body.message]).toEqual([
        504,
        'Timeout',
        expect.stringMatching(`^Timeout: Too large resource version: ${rv}, current: \\d+$`),
      ])
    })

    const unfit = (what: string, member: string, type: string): string =>
      `json: cannot unmarshal ${what} into Go struct field continueToken.${member} of type ${type}`
    const noRevision = 'incorrect encoded start resourceVersion (version meta.k8s.io/v1)'
    const noStart = 'encoded start key empty (version meta.k8s.io/v1)'
    it.each<[string, string]>([
      [`{"v":"${v}","rv":0,"start":"b"}`, noRevision],
      [`{"v":"${v}","rv":null,"start":"b"}`, noRevision],
      [`{"v":"${v}","rv":1.0,"start":"b"}`, unfit('number 1.0', 'rv', 'int64')],
      [`{"v":"${v}","rv":1e3,"start":"b"}`, unfit('number 1e3', 'rv', 'int64')],
      [`{"v":"${v}","rv":9223372036854775808}`, unfit('number 9223372036854775808', 'rv', 'int64')],
      [`{"v":"${v}","rv":"5","start":"b"}`, unfit('string', 'rv', 'int64')],
      [`{"v":"${v}","rv":[],"start":"b"}`, unfit('array', 'rv', 'int64')],
      [`{"v":"${v}","rv":1,"start":5}`, unfit('number', 'start', 'string')],
      [`{"v":true,"rv":{},"start":5}`, unfit('bool', 'v', 'string')],
      [`{"v":"${v}","rv":1,"start":""}`, noStart],
      [`{"v":"${v}","rv":1}`, noStart],
      [`{"v":"${v}","rv":1,"start":"../a"}`, '../a'],
      [`{"v":"${v}","rv":1,"start":"a/./b"}`, 'a/./b'],
      [`{"v":"${v}","rv":1,"start":"//b"}`, '//b'],
      [`{"v":"${v}","rv":1,"start":"b/"}`, 'b/'],
      ['{"v":"v2","rv":1,"start":"b"}', 'server does not recognize this encoded version v2'],
      ['null', 'server does not recognize this encoded version '],
      ['[]', 'json: cannot unmarshal array into Go value of type storage.continueToken'],
      ['5', 'json: cannot unmarshal number into Go value of type storage.continueToken'],
    ])('are refused with what is wrong with them: %s', async (token, why) => {
      const { status, body } = await list(encoded(token))
      expect([status, body.message]).toEqual([
        400,
        `invalid continue token: continue key is not valid: ${why}`,
      ])
    })

    it('are read before the revision of the request is', async () => {
      expect((await list('x', '&resourceVersion=5')).body.message).toContain('invalid continue token')
      const token = encoded({ v, rv: revision, start: 'b' })
      expect((await list(token, '&resourceVersion=5')).body.message).toBe(
        'specifying resource version is not allowed when using continue',
      )
    })
  })
}
