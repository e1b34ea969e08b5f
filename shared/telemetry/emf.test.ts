import { describe, expect, it, vi } from 'vitest'
import { createEmfMetrics, type EmfMetrics } from './index.ts'

function linesOf(record: (metrics: EmfMetrics) => void): Record<string, unknown>[] {
  const lines: Record<string, unknown>[] = []
  const metrics = createEmfMetrics({ write: (line) => lines.push(JSON.parse(line)), now: () => 1000 })
  record(metrics)
  metrics.flush()
  return lines
}

describe('metrics in the embedded metric format', () => {
  it('add counts up and keep observed values apart, in one line', () => {
    const lines = linesOf((metrics) => {
      metrics.count('Keys', 3)
      metrics.count('Keys')
      metrics.observe('Latency', 'Milliseconds', 12)
      metrics.observe('Latency', 'Milliseconds', 30)
    })
    expect(lines).toEqual([
      {
        _aws: {
          Timestamp: 1000,
          CloudWatchMetrics: [
            {
              Namespace: 'Sliceflow',
              Dimensions: [[]],
              Metrics: [
                { Name: 'Keys', Unit: 'Count' },
                { Name: 'Latency', Unit: 'Milliseconds' },
              ],
            },
          ],
        },
        Keys: 4,
        Latency: [12, 30],
      },
    ])
  })

  it('write a line for each set of dimensions', () => {
    const lines = linesOf((metrics) => {
      metrics.count('Failed', 1, { Cluster: 'a' })
      metrics.count('Failed', 2, { Cluster: 'b' })
      metrics.count('Failed', 1, { Cluster: 'a' })
    })
    expect(lines.map(({ Cluster, Failed }) => [Cluster, Failed])).toEqual([
      ['a', 2],
      ['b', 2],
    ])
  })

  it('have the dimensions of all beside their own', () => {
    const lines: Record<string, unknown>[] = []
    const metrics = createEmfMetrics({
      dimensions: { Deployment: 'Prod/Sliceflow' },
      write: (line) => lines.push(JSON.parse(line)),
      now: () => 1000,
    })
    metrics.count('Failed')
    metrics.count('Failed', 1, { Cluster: 'a' })
    metrics.flush()
    const named = ({ Name, Unit }: { Name: string; Unit: string }) => `${Name} ${Unit}`
    expect(
      lines.map(({ _aws, ...values }) => {
        const [{ Dimensions, Metrics }] = (_aws as { CloudWatchMetrics: [never] }).CloudWatchMetrics as [
          { Dimensions: string[][]; Metrics: { Name: string; Unit: string }[] },
        ]
        return [Dimensions, Metrics.map(named), values]
      }),
    ).toEqual([
      [[['Deployment']], ['Failed Count'], { Deployment: 'Prod/Sliceflow', Failed: 1 }],
      [
        [['Deployment', 'Cluster']],
        ['Failed Count'],
        { Deployment: 'Prod/Sliceflow', Cluster: 'a', Failed: 1 },
      ],
    ])
  })

  it('write as many lines as the limit of 100 values asks for, and no value twice', () => {
    const lines = linesOf((metrics) => {
      metrics.count('Keys', 250)
      for (let value = 0; value < 250; value++) metrics.observe('Latency', 'Milliseconds', value)
    })
    expect(lines.map(({ Latency }) => (Latency as number[]).length)).toEqual([100, 100, 50])
    expect(lines.map(({ Keys }) => Keys)).toEqual([250, undefined, undefined])
  })

  it('write 100 values in one line, and one value alone', () => {
    const lines = linesOf((metrics) => {
      for (let value = 0; value < 100; value++) metrics.observe('Latency', 'Milliseconds', value)
      metrics.observe('Age', 'Seconds', 7)
    })
    expect(lines).toMatchObject([{ Latency: { length: 100 }, Age: 7 }])
  })

  it('go to standard output with the time by the clock, a line each, unless they are told otherwise', () => {
    const written: unknown[] = []
    const stdout = vi.spyOn(process.stdout, 'write').mockImplementation((line) => written.push(line) > 0)
    const before = Date.now()
    const metrics = createEmfMetrics()
    metrics.count('Keys')
    metrics.flush()
    stdout.mockRestore()
    expect(written).toEqual([expect.stringMatching(/^\{.*\}\n$/)])
    const { Timestamp } = JSON.parse(String(written[0]))._aws
    expect(Timestamp).toBeGreaterThanOrEqual(before)
    expect(Timestamp).toBeLessThanOrEqual(Date.now())
  })

  it('forget what was written', () => {
    const lines = linesOf((metrics) => {
      metrics.count('Keys')
      metrics.flush()
    })
    expect(lines).toHaveLength(1)
  })
})
