import { describe, expect, it } from 'vitest'
import type { EndpointDifference } from '../../endpointslice/index.ts'
import { createLogger, SILENT_LOG } from '../../telemetry/index.ts'
import { type Compared, createShadowReport, describeDifference } from './shadow-report.ts'
import type { ShadowSync } from './shadow-sync.ts'

const KEY = { cluster: 'a', namespace: 'shop', service: 'web' }

const difference = (some: Partial<EndpointDifference> = {}): EndpointDifference & { versions: string } => ({
  kind: 'zone',
  addressType: 'IPv4',
  endpoint: 'shop/a',
  slice: 'web-x7f',
  expected: 'b',
  actual: 'c',
  versions: '1',
  ...some,
})

const differing = (...differences: ReturnType<typeof difference>[]): ShadowSync => ({
  kind: 'compared',
  differences,
})
const SAME = differing()

function setUp() {
  const lines: Record<string, unknown>[] = []
  const reported: Compared[] = []
  const logger = createLogger({ write: (line) => void lines.push(JSON.parse(line)) })
  const report = createShadowReport({ logger, onCompared: (one) => reported.push(one) })
  return { lines, reported, tell: (sync: ShadowSync) => report(KEY, sync) }
}

describe('a difference in a line', () => {
  it.each<[string, Partial<EndpointDifference>]>([
    ['no slice has it, would be c', { kind: 'missing', expected: 'c' }],
    ['slice web-x7f has it, would not be published', { kind: 'unexpected' }],
    ['slice web-x7f has it once more', { kind: 'duplicate' }],
    ['zone in slice web-x7f is c, would be b', {}],
    ['zone in slice web-x7f is not set, would be b', { actual: '' }],
    ['zone in slice web-x7f is c, would be not set', { expected: '' }],
  ])('says that %s', (words, some) => {
    expect(describeDifference(difference(some))).toBe(`shop/a (IPv4): ${words}`)
  })
})

describe('the report of a shadow', () => {
  const [one, other] = [difference(), difference({ endpoint: 'shop/b' })]

  it('tells of a difference once, in whatever order it comes, and of every other one', () => {
    const { tell, lines } = setUp()
    for (const sync of [differing(one, other), differing(other, one), differing(other)]) tell(sync)
    expect(lines.map(({ differences }) => differences)).toEqual([2, 1])
  })

  it('tells of a difference once more that comes back', () => {
    const { tell, lines } = setUp()
    for (const sync of [differing(one), SAME, SAME, differing(one)]) tell(sync)
    expect(lines.map(({ level, service, msg }) => [level, service, msg])).toEqual([
      ['warn', 'web', 'shadow: would publish something else'],
      ['info', 'web', 'shadow: no longer differs'],
      ['warn', 'web', 'shadow: would publish something else'],
    ])
  })

  it('tells of a Service that is not managed any more that its difference is over, and else nothing', () => {
    const { tell, lines } = setUp()
    for (const sync of [{ kind: 'unmanaged' }, differing(one), { kind: 'unmanaged' }] as const) tell(sync)
    expect(lines.map(({ level }) => level)).toEqual(['warn', 'info'])
  })

  it('tells why a Service would be left as it is, for each reason once', () => {
    const { tell, lines } = setUp()
    for (const problem of ['x', 'x', 'y']) tell({ kind: 'invalid', problem })
    expect(lines).toMatchObject([
      { level: 'warn', problem: 'x', msg: 'shadow: would leave the slices as they are' },
      { level: 'warn', problem: 'y' },
    ])
  })

  it('counts every comparison by its result, and its differences by kind', () => {
    const { tell, reported } = setUp()
    const syncs = [
      differing(one, other, difference({ kind: 'missing' })),
      SAME,
      { kind: 'invalid', problem: 'x' },
      { kind: 'unmanaged' },
    ] as const
    for (const sync of syncs) tell(sync)
    expect(reported.map(({ result, differences }) => [result, [...differences]])).toEqual([
      [
        'different',
        [
          ['zone', 2],
          ['missing', 1],
        ],
      ],
      ['same', []],
      ['invalid', []],
      ['unmanaged', []],
    ])
  })

  it('needs nobody to listen', () => {
    const report = createShadowReport({ logger: SILENT_LOG })
    expect(() => report(KEY, SAME)).not.toThrow()
  })
})
