import {
  ANNOTATION_ADDRESSES,
  ANNOTATION_CLUSTER,
  ANNOTATION_NAMESPACE,
  ANNOTATION_SELECTOR,
} from '../../../shared/changes/index.ts'
import { ENDPOINT_SLICES, EVENTS, SERVICES } from '../../../shared/kubernetes/index.ts'
import { type RefusingWebhook, startRefusingWebhook } from '../../support/refusing-webhook.ts'
import { numbered } from '../../support/test-namespace.ts'
import { makeSlice } from '../../support/world/index.ts'
import type { Scenario, Verdict } from '../scenario.ts'
import { seconds, type World } from '../world.ts'

const SOURCE = 'review of 2026-11'
const FLIPS = 5
/**
 * Longest time that counts as prompt. Harm that a tenant does to others takes longer if it is not bounded.
 */
const PROMPT_SECONDS = 5

const LONG_SERVICES = 60
const STATUS_UPDATES = 5
/** 187,000 characters. */
const LONG_SELECTOR = `app in (web${',x'.repeat(93_494)})`

async function openGood(world: World): Promise<void> {
  await world.addPods(numbered('web', 3))
  await world.addService('good', { selector: { app: 'web' } })
  await world.mustBeRight()
}

/** Makes one pod unready and ready, and checks that the slices of Service `good` show each change. */
async function goodIsPrompt({ namespace, pods, slices, until }: World): Promise<Verdict> {
  const waits: number[] = []
  for (let flip = 0; flip < FLIPS; flip++) {
    const ready = flip % 2 === 1
    await pods.setReady({ namespace, name: 'web-1' }, ready)
    const wait = await until(async () => {
      const endpoints = (await slices('good')).flatMap((slice) => slice.endpoints ?? [])
      const first = endpoints.find(({ targetRef }) => targetRef?.name === 'web-1')
      return first?.conditions?.ready === ready ? [] : ['not published']
    }, PROMPT_SECONDS)
    if (!wait.isMet)
      return { survived: false, observed: `change ${flip + 1} is not seen after ${seconds(wait.seconds)}` }
    waits.push(wait.seconds)
  }
  return {
    survived: true,
    observed: `${FLIPS} changes, the slowest seen after ${seconds(Math.max(...waits))}`,
  }
}

export const tenants: readonly Scenario[] = [
  {
    id: 'long-selectors',
    source: SOURCE,
    sentence: `${LONG_SERVICES} Services have an annotation sliceflow.dev/selector of 187 kB, and the status of each is updated ${STATUS_UPDATES} times: changes of another Service are published within ${PROMPT_SECONDS} s. (Sliceflow with --mode custom.)`,
    alone: true,
    mode: 'custom',
    async prepare(world) {
      await openGood(world)
      const annotations = { [ANNOTATION_SELECTOR]: LONG_SELECTOR }
      for (const name of numbered('long', LONG_SERVICES))
        await world.addService(name, { selector: null, annotations })
    },
    async act({ client, namespace }) {
      for (let update = 0; update < STATUS_UPDATES; update++) {
        const status = { conditions: [conditionOf(`Update${update}`)] }
        const patch = (name: string): Promise<unknown> =>
          client.patch(SERVICES, { namespace, name, subresource: 'status' }, { status })
        await Promise.all(numbered('long', LONG_SERVICES).map(patch))
      }
    },
    assess: goodIsPrompt,
  },
  longRefusal(),
  {
    id: 'foreign-sources',
    source: `${SOURCE}; CVE-2021-25740`,
    sentence:
      'Services without a grant name pods of another namespace, by the name of their own cluster, and plain addresses: an Event says that they may not, and nothing is published. (Sliceflow with --mode custom.)',
    mode: 'custom',
    cannot: { 'kube-controller-manager': 'it has pods of the Service’s own namespace only' },
    prepare: (world) => world.addPods(numbered('web', 3)),
    async act(world) {
      const { client, addService } = world
      const ports = [{ name: 'http', port: 80, targetPort: 8080 }]
      const pods = {
        [ANNOTATION_SELECTOR]: 'app',
        [ANNOTATION_CLUSTER]: client.cluster,
        [ANNOTATION_NAMESPACE]: 'kube-system',
      }
      await addService('pods', { selector: null, annotations: pods, ports })
      const addresses = { [ANNOTATION_ADDRESSES]: '10.66.6.6' }
      await addService('addresses', { selector: null, annotations: addresses, ports })
    },
    async assess({ client, namespace, slices, until }) {
      const refused = async (): Promise<string[]> => {
        const { items } = await client.list(EVENTS, { namespace })
        const events = items.filter(({ reason }) => reason === 'RefusedAnnotation')
        return events.map(({ involvedObject }) => involvedObject?.name ?? '')
      }
      const wait = await until(async () => ((await refused()).length === 2 ? [] : ['no Events']))
      const { length } = await slices()
      return {
        survived: wait.isMet && length === 0,
        observed: `${(await refused()).length} of 2 refused by an Event after ${seconds(wait.seconds)}, ${length} slices`,
      }
    },
  },
]

const conditionOf = (reason: string): object => ({
  type: 'Seen',
  status: 'True',
  reason,
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
})

function longRefusal(): Scenario {
  const webhooks = new WeakMap<World, RefusingWebhook>()
  return {
    id: 'long-refusal',
    source: SOURCE,
    sentence: `A webhook refuses every slice of one Service with 80 kB of what may be the beginnings of tokens: changes of another Service are published within ${PROMPT_SECONDS} s.`,
    alone: true,
    async prepare(world) {
      await openGood(world)
      const { client, namespace } = world
      webhooks.set(world, await startRefusingWebhook(client, { namespace, service: 'bad' }))
      // The server learns of it by a watch of its own.
      await world.until(async () => {
        const trial = makeSlice({ namespace, name: 'trial', service: 'bad' })
        const made = await client.create(ENDPOINT_SLICES, trial).catch(() => undefined)
        if (made === undefined) return []
        await client.delete(ENDPOINT_SLICES, { namespace, name: 'trial' })
        return ['the webhook is not in force']
      })
    },
    async act(world) {
      const refused = (): number => webhooks.get(world)?.refusals ?? 0
      const before = refused()
      await world.addService('bad', { selector: { app: 'web' } })
      await world.until(async () => (refused() > before ? [] : ['nothing was refused']))
    },
    async assess(world) {
      const verdict = await goodIsPrompt(world)
      const { refusals = 0 } = webhooks.get(world) ?? {}
      return { ...verdict, observed: `${verdict.observed}, ${refusals} writes refused` }
    },
    end: async (world) => webhooks.get(world)?.close(),
  }
}
