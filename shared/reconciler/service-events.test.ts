import { describe, expect, it } from 'vitest'
import { EVENTS } from '../kubernetes/index.ts'
import { createMemoryCluster, webService } from './memory-cluster.fixtures.ts'
import { recordServiceEvent } from './service-events.ts'

const service = (uid = 'uid-web', resourceVersion = '7') => {
  const made = webService()
  return { ...made, metadata: { ...made.metadata, uid, resourceVersion } }
}
const HELD = { type: 'Warning', reason: 'PlanHeld', message: 'held since noon' } as const

describe('an Event on a Service', () => {
  it('says of what and when, as kubectl shows it', async () => {
    const cluster = createMemoryCluster()
    expect(await recordServiceEvent(cluster.client, service(), HELD)).toBe(true)
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

  it('stands there once, however often it is told, also after the Service was written', async () => {
    const cluster = createMemoryCluster()
    await recordServiceEvent(cluster.client, service(), HELD)
    expect(await recordServiceEvent(cluster.client, service(), HELD)).toBe(false)
    expect(await recordServiceEvent(cluster.client, service('uid-web', '8'), HELD)).toBe(false)
    expect(cluster.all(EVENTS)).toHaveLength(1)
  })

  it.each([
    ['of another reason', service(), { ...HELD, reason: 'PlanReleased' as const }],
    ['with other words', service(), { ...HELD, message: 'held since one' }],
    ['of another Service of that name', service('uid-other'), HELD],
  ])('%s is another one', async (_, of, event) => {
    const cluster = createMemoryCluster()
    await recordServiceEvent(cluster.client, service(), HELD)
    expect(await recordServiceEvent(cluster.client, of, event)).toBe(true)
    expect(cluster.all(EVENTS)).toHaveLength(2)
  })

  it('is an error where it is refused', async () => {
    const cluster = createMemoryCluster()
    cluster.before = () => {
      throw new Error('forbidden')
    }
    await expect(recordServiceEvent(cluster.client, service(), HELD)).rejects.toThrow('forbidden')
  })
})
