import { describe, expect, it } from 'vitest'
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
  it('writes no line below the level of the deployment’s log', () => {
    expect(startAt('warn')).toEqual([expect.stringContaining('SLICEFLOW_SHADOWS')])
    expect(startAt('error')).toEqual([])
  })
})
