import type { Context } from 'aws-lambda'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createFakeAws, description, type FakeAws } from '../../shared/clusters/fake-aws.fixtures.ts'
import { answerJson, type ScriptedServer, startScriptedServer } from '../../test/support/scripted-server.ts'
import { createDeployedAudit } from './from-environment.ts'
import { SLOT_SECONDS } from './slots.ts'

const SEARCH = [{ kind: 'discover', region: 'eu-west-1', tagKey: 'manage' }]
const EMPTY = { kind: 'PartialObjectMetadataList', metadata: { resourceVersion: '1' }, items: [] }

describe('the deployed audit function', () => {
  let aws: FakeAws
  let server: ScriptedServer
  let lines: Record<string, unknown>[]

  beforeEach(async () => {
    lines = []
    server = await startScriptedServer()
    onTestFinished(() => server.close())
    server.answer((_request, response) => answerJson(response, EMPTY))
    const { ca } = await server.connection.credentials()
    aws = createFakeAws()
    aws.clusters.set('a', {
      ...description({ manage: '' }),
      ca: String(ca),
      endpoint: server.connection.server,
    })
  })

  /** Deploys a function each call of which is of one slot, in which it is the turn of every cluster. */
  function deployed(clusters: readonly unknown[]) {
    const handler = createDeployedAudit({
      environment: {
        SLICEFLOW_CLUSTERS: JSON.stringify(clusters),
        SLICEFLOW_SWEEP_QUEUE_URL: 'http://127.0.0.1:9/1/sweep',
        SLICEFLOW_AUDIT_INTERVAL: String(SLOT_SECONDS),
        SLICEFLOW_DEPLOYMENT: 'Prod/Sliceflow',
      },
      aws,
      write: (line) => lines.push(JSON.parse(line)),
    })
    const context = { getRemainingTimeInMillis: () => 60_000 } as Context
    return async () => handler({ time: new Date().toISOString() } as never, context, () => {})
  }

  it('fails while no search for clusters has succeeded, as it does not know whose keys to send', async () => {
    const call = deployed(SEARCH)
    aws.fail(new Error('throttled'))
    await expect(call()).rejects.toThrow(/failed to find all clusters/)
    expect(server.requests).toEqual([])
    aws.fail(undefined)
    await call()
    expect(server.requests).toHaveLength(2)
  })

  it('goes on with the clusters that it knows when a later search fails', async () => {
    const call = deployed(SEARCH)
    await call()
    vi.spyOn(aws, 'taggedClusters').mockRejectedValue(new Error('throttled'))
    await call()
    expect(server.requests).toHaveLength(4)
    const metrics = lines.filter((line) => '_aws' in line)
    expect(metrics.map(({ Deployment, AuditKeys }) => [Deployment, AuditKeys])).toEqual([
      ['Prod/Sliceflow', 0],
      ['Prod/Sliceflow', 0],
    ])
  })

  it('audits a cluster that was made again with the retry of the call that did not reach it', async () => {
    const made = aws.clusters.get('a') ?? description()
    aws.clusters.set('a', { ...made, endpoint: new URL('https://127.0.0.1:1') })
    const call = deployed([{ name: 'a', kind: 'eks', clusterName: 'a', region: 'eu-west-1' }])
    await expect(call()).rejects.toThrow('failed to audit a')
    aws.clusters.set('a', made)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 })
    onTestFinished(() => void vi.useRealTimers())
    await call()
    expect(server.requests).toHaveLength(2)
  })
})
