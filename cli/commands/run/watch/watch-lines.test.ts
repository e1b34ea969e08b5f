import { describe, expect, it } from 'vitest'
import type { ClusterStatus } from '../../../local/index.ts'
import type { Terminal } from '../../../terminal/index.ts'
import { type WatchView, watchLines } from './watch-lines.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')
const AT = '2026-03-01T11:58:00Z'

const cluster = (name: string, more: Partial<ClusterStatus> = {}): ClusterStatus => ({
  name,
  syncedAt: AT,
  failures: 0,
  waiting: 0,
  writes: 0,
  ...more,
})
const BUSY = cluster('eu-1', {
  waiting: 12,
  writes: 694,
  failures: 2,
  lag: { samples: 9, p50: 0.008, p99: 1.25, maximum: 2 },
  lastFailure: { at: '2026-03-01T11:59:30Z', class: 'Conflict', message: 'api refused' },
})

const terminal = (columns: number, rows = 24): Terminal => ({
  isTerminal: true,
  columns,
  rows,
  style: (style, text) => (style === 'red' || style === 'yellow' ? `<${style}>${text}</>` : text),
})
const view = (clusters: readonly ClusterStatus[], more: Partial<WatchView> = {}): WatchView => ({
  status: { version: 1, startedAt: AT, clusters },
  unreachable: [],
  tasks: { tasks: [], more: 0 },
  writes: new Map(),
  log: [],
  now: NOW,
  ...more,
})

describe('the screen of run --watch', () => {
  it('is a table of clusters, those in trouble first, with recent failures and the log below', () => {
    const shown = view(
      [
        BUSY,
        cluster('us-1', { waiting: 3 }),
        cluster('far'),
        { ...cluster('new'), syncedAt: undefined } as never,
      ],
      {
        unreachable: ['far'],
        log: ['11:59:59 info  wrote slices'],
      },
    )
    expect(watchLines(shown, terminal(80))).toEqual([
      'sliceflow run: following 2 of 4 clusters, up for 2m (Ctrl-C ends it)',
      '',
      'CLUSTER  STATE         WAITING      P50   P99    WRITES  FAILURES',
      'far      <red>out of reach</>  0            -     -      0       0',
      'new      <yellow>listing</>       0            -     -      0       0',
      'eu-1     following     ████████ 12  8 ms  1.3 s  694     2',
      'us-1     following     ██ 3         -     -      0       0',
      '<red>eu-1: somebody else keeps changing it, 30s ago: api refused</>',
      '',
      '11:59:59 info  wrote slices',
    ])
  })

  it('shows on a wide terminal the writes of the last seconds, too', () => {
    const writes = new Map([['eu-1', [0, 1, 8]]])
    const [, , header, row] = watchLines(view([BUSY], { writes }), terminal(140))
    expect(header).toMatch(/ FAILURES {2}WRITES A SECOND$/)
    expect(row).toMatch(/ 2 +▁▁█$/)
  })

  it('shows the last failure of a cluster set below those of clusters', () => {
    const lastFailure = { at: '2026-03-01T11:59:30Z', class: 'Unexpected', message: 'us-1 is in two sets' }
    const none = { services: 0, exports: 0, imports: 0, conflicts: 0, blocked: 0, leftOut: 0 }
    const clusterSets = [{ name: 'prod', ...none, failures: 3, lastFailure }]
    const status = { version: 1, startedAt: AT, clusters: [BUSY], clusterSets } as const
    expect(watchLines(view([], { status }), terminal(80)).slice(3, 7)).toEqual([
      expect.stringMatching(/^eu-1 /),
      '<red>eu-1: somebody else keeps changing it, 30s ago: api refused</>',
      '<red>cluster set prod: an error that is not expected, 30s ago: us-1 is in two sets</>',
      '',
    ])
  })

  const HELD = {
    kind: 'held plan',
    text: 'eu-1 shop/web: a plan is held',
    command: 'sliceflow release --context eu-1 shop/web',
  } as const

  it('shows what waits for a person with the command that answers it, whole on as many lines as it needs', () => {
    const command = `sliceflow explain --context ${'c'.repeat(70)} shop/web`
    const long = { kind: 'fight', text: 'eu-1 shop/api: a fight', command } as const
    const shown = view([BUSY], { tasks: { tasks: [HELD, long], more: 7 } })
    expect(watchLines(shown, terminal(80)).slice(4, 9)).toEqual([
      '<yellow>eu-1 shop/web: a plan is held: sliceflow release --context eu-1 shop/web</>',
      '<yellow>eu-1 shop/api: a fight:</>',
      `<yellow>${command.slice(0, 80)}</>`,
      `<yellow>${command.slice(80)}</>`,
      '<yellow>and 7 more that wait for you</>',
    ])
  })

  it('counts what waits where there is no room for it', () => {
    const tasks = Array.from({ length: 20 }, () => HELD)
    const lines = watchLines(view([BUSY], { tasks: { tasks, more: 5 } }), terminal(80))
    expect(lines.filter((line) => line.includes('release'))).toHaveLength(5)
    expect(lines).toContain('<yellow>and 20 more that wait for you</>')
  })

  it('reports no failure that is older than 5 minutes', () => {
    const lastFailure = { at: '2026-03-01T11:54:59Z', class: 'Timeout', message: 'late' }
    expect(watchLines(view([cluster('eu-1', { lastFailure })]), terminal(80)).join('\n')).not.toContain(
      'late',
    )
  })

  it.each([
    [80, 24],
    [40, 10],
    [200, 60],
  ])('fits into %d columns and %d lines, whatever there is to show', (columns, rows) => {
    const long = 'x'.repeat(300)
    const many = Array.from({ length: 200 }, (_, index) =>
      cluster(`${long}${index}`, { lastFailure: { at: AT, class: 'Timeout', message: long } }),
    )
    const tasks = { tasks: Array(60).fill({ ...HELD, command: long }), more: 9 }
    const lines = watchLines(view(many, { tasks, log: Array(60).fill(long) }), terminal(columns, rows))
    expect(lines.length).toBeLessThanOrEqual(rows)
    for (const line of lines) expect(line.replace(/<.*?>/g, '').length).toBeLessThanOrEqual(columns)
    expect(lines.join('\n')).toMatch(/and 1\d\d clusters more/)
  })

  it('lets no text of a cluster reach the terminal as a command', () => {
    const lastFailure = { at: AT, class: 'Unexpected', message: 'no\u001b[2J\u0007' }
    const tasks = { tasks: [{ ...HELD, text: 'a\u001b[2J', command: 'b\u001b[2J' }], more: 0 }
    const shown = view([cluster('eu\u001b[1', { lastFailure })], { tasks, log: ['a\u001b]0;title\u0007'] })
    const text = watchLines(shown, terminal(80)).join('')
    expect([...text].filter((character) => character < ' ')).toEqual([])
  })
})
