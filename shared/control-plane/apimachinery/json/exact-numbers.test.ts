import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { builtinResources, type ResourceDefinition } from '../../index.ts'
import { TestServer } from '../../testing/test-client.ts'
import type { JsonValue } from './exact-numbers.ts'
import { integerOf, jsonText, mayLoseDigits, numberOf, parseJson } from './exact-numbers.ts'

const MOST = 2n ** 63n - 1n
const int64s = fc.bigInt({ min: -MOST - 1n, max: MOST })
const LOST = '9007199254740993'

describe('the number of a text', () => {
  it.each<[string, number | bigint]>([
    ['9007199254740991', 9_007_199_254_740_991],
    ['-9007199254740991', -9_007_199_254_740_991],
    ['9007199254740992', 2n ** 53n],
    [LOST, 9_007_199_254_740_993n],
    [`+${LOST}`, 9_007_199_254_740_993n],
    ['9223372036854775807', MOST],
    ['-9223372036854775808', -MOST - 1n],
    ['9223372036854775808', 2 ** 63],
    ['-9223372036854775809', -(2 ** 63)],
    ['9007199254740993.0', 2 ** 53],
    ['1e18', 1e18],
    ['0000000000000000001', 1],
  ])('%s is the integer where 64 bits hold it, and else the nearest float', (text, number) => {
    expect(numberOf(text)).toBe(number)
  })

  it('is a bigint for those integers alone that no number holds for sure', () => {
    fc.assert(
      fc.property(int64s, (integer) => {
        const isSafe = integer >= Number.MIN_SAFE_INTEGER && integer <= Number.MAX_SAFE_INTEGER
        expect(integerOf(integer)).toBe(isSafe ? Number(integer) : integer)
      }),
    )
  })
})

describe('JSON', () => {
  const values = fc.letrec<{ value: JsonValue; object: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.string(),
      fc.boolean(),
      fc.constant(null),
      int64s.map(integerOf),
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }).map((number) => number || 0),
      fc.array(tie('value'), { maxLength: 4 }),
      tie('object'),
    ),
    object: fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), tie('value'), { maxKeys: 4 }),
  })).value

  it('is read as it was written, whatever value', () => {
    fc.assert(
      fc.property(values, (value) => {
        expect(parseJson(jsonText(value))).toEqual(value)
      }),
    )
  })

  it('is written as it was read, digit by digit', () => {
    fc.assert(
      fc.property(fc.array(int64s), (integers) => {
        const text = `[${integers.join(',')}]`
        expect(jsonText(parseJson(text))).toBe(text)
      }),
    )
  })

  it('is read like JavaScript does where it has no long integers', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        if (!/\d{16}/.test(text)) expect(parseJson(text)).toEqual(JSON.parse(text))
      }),
    )
  })

  it('keeps the last of members that stand twice, and members of any name', () => {
    expect(jsonText(parseJson(`{"a":1,"__proto__":{"b":${LOST}},"a":${LOST}}`))).toBe(
      `{"a":${LOST},"__proto__":{"b":${LOST}}}`,
    )
  })

  it('may have long integers wherever sixteen digits stand', () => {
    fc.assert(
      fc.property(fc.nat(50), fc.integer({ min: 1, max: 40 }), fc.nat(50), (before, digits, after) => {
        const text = `${'x'.repeat(before)}${'7'.repeat(digits)}${'x'.repeat(after)}`
        expect(mayLoseDigits(text)).toBe(digits >= 16)
      }),
    )
  })

  it('fails for what is circular, and for a text that is none', () => {
    const circle: unknown[] = [1n]
    circle.push(circle)
    expect(() => jsonText(circle)).toThrow(TypeError)
    expect(() => parseJson(`{${LOST}`)).toThrow(SyntaxError)
  })

  it('is indented as asked', () => {
    expect(jsonText({ a: 2n ** 60n }, 2)).toBe('{\n  "a": 1152921504606846976\n}')
  })
})

describe('an integer that JavaScript cannot hold', () => {
  const group = { group: 'example.org', version: 'v1' }
  const NOTES: ResourceDefinition = {
    ...group,
    kind: 'Note',
    plural: 'notes',
    singular: 'note',
    namespaced: true,
  }
  const PATH = '/apis/example.org/v1/namespaces/default/notes'
  const note = (name: string, counts: string): string =>
    `{"apiVersion":"example.org/v1","kind":"Note","metadata":{"name":"${name}"},"counts":${counts}}`
  const countsIn = (text: string): string | undefined => /"counts":(\[[^\]]*\])/.exec(text)?.[1]
  const start = (dataDir?: string): Promise<TestServer> =>
    TestServer.start({
      apis: { resources: [...builtinResources('generic'), NOTES] },
      ...(dataDir === undefined ? {} : { storage: { dataDir } }),
    })

  it('comes back digit by digit, and out of the file too when the server starts again', async () => {
    const folder = temporaryFolder()
    const sent = fc.sample(fc.array(int64s, { minLength: 1, maxLength: 20 }), 30).map((each) => `[${each}]`)
    const check = async (server: TestServer): Promise<void> => {
      for (const [index, counts] of sent.entries()) {
        const { text } = await server.ask('GET', `${PATH}/n${index}`)
        expect(countsIn(text)).toBe(counts)
      }
    }
    {
      await using server = await start(folder)
      for (const [index, counts] of sent.entries()) {
        const { status, text } = await server.create(PATH, note(`n${index}`, counts))
        expect([status, countsIn(text)]).toEqual([201, counts])
      }
      await check(server)
    }
    await using again = await start(folder)
    await check(again)
  })

  it('counts on as 64 bits do, where it is the generation of a built-in object', async () => {
    await using server = await start()
    const configMaps = '/api/v1/namespaces/default/configmaps'
    const generation = (text: string): string | undefined => /"generation":(-?\d+)/.exec(text)?.[1]
    for (const [sent, next] of [
      ['9007199254740991', '9007199254740992'],
      [LOST, '9007199254740994'],
      [`${MOST}`, `${-MOST - 1n}`],
    ]) {
      const metadata = `{"name":"g${sent}","generation":${sent},"finalizers":["example.org/wait"]}`
      const created = await server.create(configMaps, `{"metadata":${metadata}}`)
      expect([created.status, generation(created.text)]).toEqual([201, sent])
      const deleted = await server.ask('DELETE', `${configMaps}/g${sent}`)
      expect([deleted.status, generation(deleted.text)]).toEqual([200, next])
    }
  })
})
