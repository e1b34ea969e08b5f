import { describe, expect, it } from 'vitest'
import { EVENTS } from '../kubernetes/index.ts'
import { createLogger } from '../telemetry/index.ts'
import { createMemoryCluster, type MemoryCluster, webService } from './memory-cluster.fixtures.ts'
import { recordEvent, reportEvent, type ServiceEvent } from './service-events.ts'

const service = (uid = 'uid-web', resourceVersion = '7') => {
  const made = webService()
  return { ...made, metadata: { ...made.metadata, uid, resourceVersion } }
}
const HELD = { type: 'Warning', reason: 'PlanHeld', message: 'held since noon' } as const

const record = ({ client }: MemoryCluster, { metadata }: ReturnType<typeof service>, event: ServiceEvent) =>
  recordEvent(client, { apiVersion: 'v1', kind: 'Service', metadata }, event)

describe('an Event on a Service', () => {
  it('says of what and when, as kubectl shows it', async () => {
    const cluster = createMemoryCluster()
    const lines: object[] = []
    const logger = createLogger({ write: (line) => void lines.push(JSON.parse(line)) })
    const key = { cluster: 'eu', namespace: 'shop', service: 'web' }
    const context = { client: cluster.client, key, logger, signal: AbortSignal.timeout(1_000) }
    await reportEvent(context, service(), HELD)
    await reportEvent(context, service(), HELD)
    expect(lines).toEqual([expect.objectContaining({ ...key, reason: 'PlanHeld', level: 'warn' })])
    const [event] = cluster.all(EVENTS)
    expect(event).toMatchObject({
      ...HELD,
      metadata: { namespace: 'shop', name: expect.stringMatching(/^web\.[0-9a-f]{16}$/) },
      involvedObject: {
        apiVersion: 'v1',
        kind: 'Service',
        namespace: 'shop',
        name: 'web',
        uid: 'uid-web',
        resourceVersion: '7',
      },
      source: { component: 'sliceflow' },
      count: 1,
    })
    expect(event?.firstTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    expect(event?.lastTimestamp).toBe(event?.firstTimestamp)
  })

  it('stands there once, however often it is reported, also after the Service was written', async () => {
    const cluster = createMemoryCluster()
    await record(cluster, service(), HELD)
    expect(await record(cluster, service(), HELD)).toBe(false)
    expect(await record(cluster, service('uid-web', '8'), HELD)).toBe(false)
    expect(cluster.all(EVENTS)).toHaveLength(1)
  })

  it.each([
    ['of another reason', service(), { ...HELD, reason: 'PlanReleased' as const }],
    ['with other words', service(), { ...HELD, message: 'held since one' }],
    ['of another Service of that name', service('uid-other'), HELD],
  ])('%s is another one', async (_, of, event) => {
    const cluster = createMemoryCluster()
    await record(cluster, service(), HELD)
    expect(await record(cluster, of, event)).toBe(true)
    expect(cluster.all(EVENTS)).toHaveLength(2)
  })

  it('is an error where it is refused', async () => {
    const cluster = createMemoryCluster()
    cluster.before = () => {
      throw new Error('forbidden')
    }
    await expect(record(cluster, service(), HELD)).rejects.toThrow('forbidden')
  })
})
