import { setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'
import { type ApiClient, NAMESPACES, NODES, SERVICES } from '../../../shared/kubernetes/index.ts'
import { type RefusingWebhook, startRefusingWebhook } from '../../support/refusing-webhook.ts'
import {
  createFakePods,
  makeNode,
  makePod,
  makeService,
  SELECTOR_ANNOTATION,
} from '../../support/world/index.ts'

/** Number of the tenant's actions by kind, and of the slices that its webhook has refused. */
interface AttackCounts {
  readonly selectorChanges: number
  readonly statusUpdates: number
  readonly podChanges: number
  readonly largeUpdates: number
  readonly refusals: number
}

/** A user with `edit` in a namespace, and with a webhook, who does what may delay others. */
interface Tenant {
  /** Makes what the attack is made of. */
  populate(): Promise<void>
  /** Changes all of it in turn, 100 times a second if its API server takes as many. */
  attack(seconds: number): Promise<AttackCounts>
}

const NAMESPACE = 'hostile'
/** Services with a selector that is far too long. */
const LONG_SERVICES = 60
const LONG_SELECTOR = 187_000
/**
 * Services with the costliest selector that is accepted: each selects every pod, by as many requirements as
 * are allowed.
 */
const COSTLY_SERVICES = 60
const MAX_REQUIREMENTS = 100
const PODS = 20
/** Services with annotations as large as an API server takes them: 262,144 characters, names included. */
const LARGE_SERVICES = 500
const LARGEST_ANNOTATION = 262_000
const AT_ONCE = 8
/** Changes a second in all: more than stopped a relay that read each of these selectors at each event. */
const CHANGES_PER_SECOND = 100

export function createTenant(client: ApiClient): Tenant {
  const pods = createFakePods(client)
  let webhook: RefusingWebhook | undefined

  const addService = async (name: string, annotations: Readonly<Record<string, string>>): Promise<void> => {
    const ports = [{ port: 80, targetPort: 8080 }]
    await client.create(
      SERVICES,
      makeService({ namespace: NAMESPACE, name, selector: null, annotations, ports }),
    )
  }
  const patch = (name: string, change: object, subresource?: string): Promise<unknown> =>
    client.patch(SERVICES, { namespace: NAMESPACE, name, ...(subresource && { subresource }) }, change)

  return {
    async populate() {
      await client.create(NAMESPACES, { metadata: { name: NAMESPACE } })
      await client.create(NODES, makeNode())
      webhook = await startRefusingWebhook(client, { namespace: NAMESPACE })
      await eachOf(PODS, async (index) => {
        const pod = makePod({ namespace: NAMESPACE, name: `pod-${index}`, labels: { app: 'web' } })
        await pods.start(pod, [`10.66.0.${index}`])
      })
      await eachOf(LONG_SERVICES, (index) =>
        addService(`long-${index}`, { [SELECTOR_ANNOTATION]: longSelector(0) }),
      )
      await eachOf(COSTLY_SERVICES, (index) =>
        addService(`costly-${index}`, { [SELECTOR_ANNOTATION]: costlySelector(index) }),
      )
      await eachOf(LARGE_SERVICES, (index) =>
        addService(`large-${index}`, { 'example.org/note': 'x'.repeat(LARGEST_ANNOTATION) }),
      )
    },
    async attack(seconds) {
      const counts = { selectorChanges: 0, statusUpdates: 0, podChanges: 0, largeUpdates: 0 }
      const refused = webhook?.refusals ?? 0
      const ways: readonly ((turn: number) => Promise<void>)[] = [
        async (turn) => {
          const annotations = { [SELECTOR_ANNOTATION]: longSelector(turn) }
          await patch(`long-${turn % LONG_SERVICES}`, { metadata: { annotations } })
          counts.selectorChanges++
        },
        async (turn) => {
          const conditions = [conditionOf(turn)]
          await patch(`long-${turn % LONG_SERVICES}`, { status: { conditions } }, 'status')
          counts.statusUpdates++
        },
        async (turn) => {
          const ref = { namespace: NAMESPACE, name: `pod-${turn % PODS}` }
          await pods.setReady(ref, Math.floor(turn / PODS) % 2 === 1)
          counts.podChanges++
        },
        async (turn) => {
          await patch(`large-${turn % LARGE_SERVICES}`, { metadata: { labels: { turn: String(turn) } } })
          counts.largeUpdates++
        },
      ]
      const started = performance.now()
      const end = started + seconds * 1000
      let steps = 0
      const goOn = async (): Promise<void> => {
        for (let step = steps++; performance.now() < end; step = steps++) {
          await sleep(Math.max(0, started + (step * 1000) / CHANGES_PER_SECOND - performance.now()))
          await ways[step % ways.length]?.(Math.floor(step / ways.length))
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, goOn))
      return { ...counts, refusals: (webhook?.refusals ?? 0) - refused }
    },
  }
}

/** @param turn makes it another one, of another length */
function longSelector(turn: number): string {
  const begin = `app in (web-${turn}`
  return `${begin}${',x'.repeat((LONG_SELECTOR - begin.length) / 2)})`
}

const costlySelector = (index: number): string =>
  Array.from({ length: MAX_REQUIREMENTS }, (_, at) => `l${index}-${at} notin (x)`).join(',')

const conditionOf = (turn: number): object => ({
  type: 'Seen',
  status: 'True',
  reason: `Turn${turn}`,
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
})

async function eachOf(count: number, work: (index: number) => Promise<void>): Promise<void> {
  const limit = pLimit(AT_ONCE)
  await Promise.all(Array.from({ length: count }, (_, index) => limit(() => work(index))))
}
