import type { Context } from 'aws-lambda'
import { describe, expect, it } from 'vitest'
import { createFakeAws } from '../../shared/clusters/fake-aws.fixtures.ts'
import { createDeployedCanary } from './from-environment.ts'

const clusters = [{ name: 'eu-1', kind: 'eks', clusterName: 'eu-1', region: 'eu-west-1' }]

/** Returns the log lines of a start whose environment has a misspelt variable, which is a warning. */
function startAt(level: string): string[] {
  const lines: string[] = []
  createDeployedCanary({
    environment: {
      SLICEFLOW_CLUSTERS: JSON.stringify(clusters),
      SLICEFLOW_SHADOWS: 'true',
      SLICEFLOW_LOG_LEVEL: level,
    },
    write: (line) => lines.push(line),
  })
  return lines
}

describe('the deployed canary', () => {
  it('measures for its deployment', async () => {
    const lines: Record<string, unknown>[] = []
    const call = createDeployedCanary({
      environment: { SLICEFLOW_CLUSTERS: JSON.stringify(clusters), SLICEFLOW_DEPLOYMENT: 'Prod/Sliceflow' },
      // It knows of no cluster.
      aws: createFakeAws(),
      write: (line) => lines.push(JSON.parse(line)),
    })
    const context = { getRemainingTimeInMillis: () => 30_000 } as Context
    await Promise.resolve(call({ time: '2026-11-26T12:00:00Z' } as never, context, () => {})).catch(() => {})
    const metrics = lines.filter((line) => '_aws' in line)
    expect(
      metrics.map(({ Deployment, Cluster, CanaryFailures }) => [Deployment, Cluster, CanaryFailures]),
    ).toEqual([
      ['Prod/Sliceflow', undefined, 1],
      ['Prod/Sliceflow', 'eu-1', 1],
    ])
  })

  it('writes no line below the level of the deployment’s log', () => {
    expect(startAt('warn')).toEqual([expect.stringContaining('SLICEFLOW_SHADOWS')])
    expect(startAt('error')).toEqual([])
  })
})
