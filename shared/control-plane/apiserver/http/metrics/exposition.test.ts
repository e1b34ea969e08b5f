import fc from 'fast-check'
import { Counter, Gauge, Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { anyCharacter } from '../../../../../test/support/any-character.ts'
import { exposition } from './exposition.ts'

const number = fc.double({ min: 0, noNaN: true })
/** prom-client counts finite numbers only. */
const finite = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true })

it('metrics are written as Prometheus’ own client for Node writes them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: anyCharacter }), number, finite, async (label, up, total) => {
      const registry = new Registry()
      const registers = [registry]
      new Gauge({ name: 'b', help: 'A gauge.', labelNames: ['x', 'y'], registers }).set(
        { x: label, y: '1' },
        up,
      )
      new Counter({ name: 'a_total', help: 'A counter.', registers }).inc(total)
      const text = exposition([
        {
          name: 'b',
          help: 'A gauge.',
          type: 'gauge',
          samples: [{ labels: { x: label, y: '1' }, value: up }],
        },
        { name: 'a_total', help: 'A counter.', type: 'counter', samples: [{ labels: {}, value: total }] },
      ])
      const [first = '', second = ''] = (await registry.metrics()).trimEnd().split('\n\n')
      expect(text).toBe(`${second}\n${first}\n`)
    }),
  )
})

it('metrics without samples are left out', () => {
  expect(exposition([{ name: 'none', help: 'h', type: 'gauge', samples: [] }])).toBe('')
})
