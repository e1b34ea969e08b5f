import { setTimeout as pause } from 'node:timers/promises'
import {
  type EndpointSlice,
  LABEL_MANAGED_BY,
  LABEL_SERVICE_NAME,
} from '../../../shared/endpointslice/index.ts'
import { ENDPOINT_SLICES, EVENTS } from '../../../shared/kubernetes/index.ts'
import { type ControllerManager, startControllerManager } from '../../cluster/controller-manager.ts'
import { startSliceflowProcess } from '../../support/sliceflow-process.ts'
import { numbered } from '../../support/test-namespace.ts'
import { IN_TREE_CONTROLLER } from '../../support/workload.ts'
import { checkUntouched, makeSlice, type SliceSnapshot, snapshotSlices } from '../../support/world/index.ts'
import type { Scenario } from '../scenario.ts'
import { openWeb, seconds, type World } from '../world.ts'

const EDITS = ['emptied', 'ported', 'moved', 'deleted'] as const
const FINALIZER = 'example.org/hold'
const ANNOTATION = 'example.org/note'
const NOTES = 100
const BOGUS = 6
const FORGOTTEN_MS = 15_000
const FLIPS = 8
/** managedFields have whole seconds: who was the later one of two in the same second is not known. */
const APART_MS = 1_100

async function sliceOf(world: World, service: string): Promise<EndpointSlice> {
  const [slice] = await world.slices(service)
  if (slice === undefined) throw new Error(`Service ${service} has no slice`)
  return slice
}

const nameOf = ({ metadata }: EndpointSlice): string => metadata?.name ?? ''

export const drift: readonly Scenario[] = [
  {
    id: 'managed-by-removed',
    source: 'F2',
    sentence:
      'Somebody takes the managed-by label off a slice, and a pod ends: the Service gets a slice of its own again, without the dead pod.',
    prepare: openWeb(),
    async act(world) {
      const name = nameOf(await sliceOf(world, 'web'))
      await world.editSlice(name, { metadata: { labels: { [LABEL_MANAGED_BY]: null } } })
      await world.pods.finish({ namespace: world.namespace, name: 'web-1' })
    },
    assess: (world) => world.rightInTheEnd(),
  },
  {
    id: 'edited',
    source: 'kubernetes/kubernetes#85353, karmada-io/karmada#4422',
    sentence:
      'Slices are emptied, given other ports, labelled as of another Service, and deleted: all are mended.',
    async prepare(world) {
      await world.addPods(numbered('web', 3))
      for (const name of ['other', ...EDITS]) await world.addService(name, { selector: { app: 'web' } })
      await world.mustBeRight()
    },
    async act(world) {
      const { client, namespace } = world
      const edit = async (service: string, patch: object): Promise<unknown> =>
        world.editSlice(nameOf(await sliceOf(world, service)), patch)
      await edit('emptied', { endpoints: null })
      await edit('ported', { ports: [{ name: 'http', port: 6666, protocol: 'TCP' }] })
      await edit('moved', { metadata: { labels: { [LABEL_SERVICE_NAME]: 'other' } } })
      const name = nameOf(await sliceOf(world, 'deleted'))
      await client.delete(ENDPOINT_SLICES, { namespace, name })
    },
    assess: (world) => world.rightInTheEnd(),
  },
  {
    id: 'held-by-finalizer',
    source: 'kubernetes/kubernetes#108779, #108267',
    sentence:
      'A slice with a foreign finalizer and annotation is deleted and cannot go: the Service gets another slice, and follows its pods.',
    prepare: openWeb(),
    async act(world) {
      const { client, namespace } = world
      const name = nameOf(await sliceOf(world, 'web'))
      const metadata = { finalizers: [FINALIZER], annotations: { [ANNOTATION]: 'kept' } }
      await world.editSlice(name, { metadata })
      await world.pods.setReady({ namespace, name: 'web-1' }, false)
      await world.untilRight()
      await client.delete(ENDPOINT_SLICES, { namespace, name })
      await world.pods.finish({ namespace, name: 'web-2' })
    },
    async assess(world) {
      const isHeld = ({ metadata }: EndpointSlice): boolean => metadata?.deletionTimestamp !== undefined
      const wait = await world.until(async () =>
        world.differences((await world.slices()).filter((slice) => !isHeld(slice))),
      )
      const held = (await world.slices('web')).filter(isHeld)
      const isKept = held.every(({ metadata }) => metadata?.annotations?.[ANNOTATION] === 'kept')
      for (const slice of held) await world.editSlice(nameOf(slice), { metadata: { finalizers: null } })
      const after = seconds(wait.seconds)
      if (!isKept) return { survived: false, observed: 'the foreign annotation was taken off' }
      if (!wait.isMet) return { survived: false, observed: `the Service has no other slice after ${after}` }
      return { survived: held.length === 1, observed: `right beside the held slice after ${after}` }
    },
  },
  {
    id: 'conflicts',
    source: 'kubernetes/kubernetes#92928, #90276',
    sentence: `Somebody annotates a slice ${NOTES} times while its pods change: it becomes right, and no Event complains.`,
    prepare: openWeb(),
    async act(world) {
      const { namespace, pods } = world
      const name = nameOf(await sliceOf(world, 'web'))
      for (let note = 0; note < NOTES; note++) {
        await Promise.all([
          world.editSlice(name, { metadata: { annotations: { [ANNOTATION]: String(note) } } }),
          pods.setReady({ namespace, name: `web-${1 + (note % 3)}` }, note % 2 === 0),
        ])
      }
    },
    async assess(world) {
      const verdict = await world.rightInTheEnd()
      const { items } = await world.client.list(EVENTS, { namespace: world.namespace })
      const complaints = items.filter(
        ({ type, involvedObject }) => type === 'Warning' && involvedObject?.kind === 'Service',
      )
      const times = complaints.reduce((sum, { count = 1 }) => sum + count, 0)
      return {
        survived: verdict.survived && times === 0,
        observed:
          times === 0
            ? verdict.observed
            : `${times} Warnings (${complaints[0]?.reason}), ${verdict.observed}`,
      }
    },
  },
  {
    id: 'foreign-endpoints',
    source: 'an adversarial review of Sliceflow',
    sentence: `Somebody writes ${BOGUS} ready endpoints into the slice of a Service with 4 pods: they are taken out again. (Sliceflow with --maximum-removal 0.5.)`,
    flags: { sliceflow: ['--maximum-removal', '0.5'] },
    prepare: openWeb(4),
    async act(world) {
      const slice = await sliceOf(world, 'web')
      const bogus = Array.from({ length: BOGUS }, (_, index) => ({ addresses: [`10.99.0.${index}`] }))
      await world.editSlice(nameOf(slice), { endpoints: [...(slice.endpoints ?? []), ...bogus] })
    },
    assess: (world) => world.rightInTheEnd(),
  },
  foreignSlices(),
  forgottenMode(),
  controllerForgotten(),
]

/** Starts a second controller beside the subject, as an operator does who has forgotten a flag. */
function forgottenMode(): Scenario {
  const before = new WeakMap<World, readonly string[]>()
  const codes = new WeakMap<World, number | null>()
  const uids = async (world: World): Promise<string[]> =>
    (await world.slices()).map(({ metadata }) => metadata?.uid ?? '').sort()
  return {
    id: 'mode-forgotten',
    source: 'an adversarial review of Sliceflow',
    sentence:
      'Beside the controller a Sliceflow is started with its managed-by value and without `--mode replace`: it is refused, and no slice is deleted.',
    async prepare(world) {
      await openWeb()(world)
      before.set(world, await uids(world))
    },
    async act(world) {
      const kubeconfig = world.server.kubeconfig.path
      const run = startSliceflowProcess({ kubeconfig, flags: ['--managed-by', IN_TREE_CONTROLLER] })
      // One that is not refused deletes within seconds.
      const limit = setTimeout(() => run.kill('SIGKILL'), FORGOTTEN_MS)
      codes.set(world, await run.ended)
      clearTimeout(limit)
    },
    async assess(world) {
      const code = codes.get(world)
      const after = await uids(world)
      const gone = (before.get(world) ?? []).filter((uid) => !after.includes(uid)).length
      const how = code === null ? 'it ran' : `ended with ${code}`
      return { survived: code === 2 && gone === 0, observed: `${how}, ${gone} slices deleted` }
    },
  }
}

/** Leaves kube-controller-manager on beside the subject, which writes the same slices. */
function controllerForgotten(): Scenario {
  const managers = new WeakMap<World, ControllerManager>()
  const reasons = async ({ client, namespace }: World): Promise<(string | undefined)[]> =>
    (await client.list(EVENTS, { namespace })).items.map(({ reason }) => reason)
  return {
    id: 'controller-forgotten',
    source: 'review of 2026-11; kubernetes/enhancements#4771',
    sentence: `kube-controller-manager goes on beside the controller that has taken its slices over, and a pod changes ${FLIPS} times: each change is published, and people are told who else writes.`,
    alone: true,
    cannot: { 'kube-controller-manager': 'it is the one that was forgotten' },
    async prepare(world) {
      managers.set(
        world,
        await startControllerManager({
          kubeconfig: world.server.kubeconfig.path,
          controllers: ['endpointslice-controller'],
        }),
      )
      await openWeb()(world)
    },
    async act(world) {
      const ref = { namespace: world.namespace, name: 'web-1' }
      for (let count = 1; count <= FLIPS; count++) {
        await pause(APART_MS)
        await world.pods.setReady(ref, count % 2 === 0)
        await world.mustBeRight()
      }
    },
    async assess(world) {
      const wait = await world.until(async () =>
        (await reasons(world)).includes('SecondController') ? [] : ['nobody is told'],
      )
      const [count = '0'] =
        /(?<=^sliceflow_second_controller_syncs_total\{.*\} )\d+$/m.exec(await world.subject.metrics()) ?? []
      return {
        survived: wait.isMet && Number(count) > 0,
        observed: wait.isMet
          ? 'named by an Event and a metric'
          : `nobody is told in ${seconds(wait.seconds)}`,
      }
    },
    end: async (world) => managers.get(world)?.stop(),
  }
}

/** Checks that the slices of others stay as they were, whatever becomes of their Service. */
function foreignSlices(): Scenario {
  const snapshots = new WeakMap<World, SliceSnapshot>()
  return {
    id: 'foreign-slices',
    source: 'openshift/hypershift#3528, kubernetes/enhancements#4930, longhorn/longhorn-manager#4161',
    sentence:
      'Others keep slices for a Service with a selector and for one without: they are not touched, whatever becomes of the Services.',
    async prepare(world) {
      const { client, namespace } = world
      await world.addPods(numbered('web', 3))
      const made = ['web', 'plain'].flatMap((service) =>
        ['by-hand', 'other'].map((name) =>
          makeSlice({
            namespace,
            name: `${service}-${name}`,
            service,
            managedBy: name === 'by-hand' ? null : 'somebody-else',
            endpoints: [{ addresses: ['10.99.0.1'] }],
            ports: [{ name: 'http', port: 1234 }],
          }),
        ),
      )
      const slices = await Promise.all(made.map((slice) => client.create(ENDPOINT_SLICES, slice)))
      snapshots.set(world, snapshotSlices(slices))
      await world.addService('web')
      await world.addService('plain', { selector: null })
      await world.mustBeRight()
    },
    async act(world) {
      await world.patchService('web', { spec: { ports: [{ name: 'web', port: 80, targetPort: 'http' }] } })
      await world.untilRight()
      await world.pods.finish({ namespace: world.namespace, name: 'web-1' })
      await world.patchService('plain', { metadata: { labels: { changed: 'yes' } } })
      await world.untilRight()
    },
    async assess(world) {
      const touched = checkUntouched(snapshots.get(world) ?? new Map(), await world.slices())
      if (touched.length > 0) return { survived: false, observed: `${touched.length} of 4 touched` }
      const { survived, observed } = await world.rightInTheEnd()
      return { survived, observed: `4 of 4 untouched, ${observed}` }
    },
  }
}
