import { makeSlice } from '../../functions/demo/world/index.ts'
import type { EndpointSlice } from '../../shared/endpointslice/index.ts'
import { ENDPOINT_SLICES } from '../../shared/kubernetes/index.ts'
import { parseSettings } from '../../shared/settings/index.ts'
import { reconcileOnce } from './at-rest.ts'
import {
  deletePod,
  deleteService,
  ENDPOINTS_A_SLICE,
  editSlice,
  fromBeforeRestore,
  hinted,
  MANAGED_BY,
  NAMESPACE,
  putPod,
  putService,
  SERVICE,
  takeSlice,
  together,
  withNode,
  withPod,
  withService,
} from './environment.ts'
import type { Scenario } from './scenario.ts'
import { emptyCluster, objectsOf, putObject, type SimulatedCluster, type Versions } from './simulated-api.ts'

export interface NamedScenario extends Scenario {
  readonly name: string
  /** The relay's messages are of slices as they were before. Default false. */
  readonly relayLags?: true
}

export const SETTINGS = parseSettings({
  mode: 'replace',
  managedBy: MANAGED_BY,
  maxEndpointsPerSlice: ENDPOINTS_A_SLICE,
})

/** Two workers, each in a process of its own that is new for every message. */
const TWO = {
  service: { namespace: NAMESPACE, name: SERVICE },
  settings: SETTINGS,
  processes: 2,
  capacity: 1,
  isReused: false,
} as const

/** A Service and so many ready pods, `web-1` and on, without slices. */
export function unreconciled(pods: number, versions: Versions = 'object'): SimulatedCluster {
  const names = Array.from({ length: pods }, (_, index) => `web-${index + 1}`)
  return names.reduce(
    (cluster, name) => withPod(cluster, name),
    withService(withNode(emptyCluster(versions))),
  )
}

/** The same at rest. */
export const reconciled = (pods: number, versions: Versions = 'object'): Promise<SimulatedCluster> =>
  afterReconcile(unreconciled(pods, versions))

export async function afterReconcile(start: SimulatedCluster): Promise<SimulatedCluster> {
  return (await reconcileOnce({ ...TWO, cluster: start, steps: [] }, start)).cluster
}

/** Somebody else's slice has the name that ours would get. */
async function withNameTaken(): Promise<SimulatedCluster> {
  const [slice] = objectsOf<EndpointSlice>(await reconciled(0), ENDPOINT_SLICES.plural)
  const taken = makeSlice({ namespace: NAMESPACE, name: slice?.metadata?.name ?? '' })
  return putObject(unreconciled(0), ENDPOINT_SLICES.plural, taken)
}

/** The same pod, so that its endpoint is the same again. */
const LEAVE = [putPod('web-3', { app: 'other' }), putPod('web-3')]
const FLIP = [putPod('web-1', { ready: false }), putPod('web-1')] as const

/** Every interleaving, with consistent reads. */
export async function consistentScenarios(): Promise<NamedScenario[]> {
  const [one, three] = [await reconciled(1), await reconciled(3)]
  return [
    { ...TWO, name: 'a pod fails and recovers', cluster: one, steps: FLIP },
    {
      ...TWO,
      name: 'a pod fails and recovers; one worker dies',
      cluster: one,
      steps: FLIP,
      faults: { crashes: 1 },
    },
    {
      ...TWO,
      name: 'a pod fails and recovers; one call has no answer',
      cluster: one,
      steps: FLIP,
      faults: { losses: 1 },
    },
    {
      ...TWO,
      name: 'a pod fails and recovers; one message comes twice',
      cluster: one,
      steps: FLIP,
      faults: { duplicates: 1 },
    },
    {
      ...TWO,
      name: 'the first slices',
      cluster: unreconciled(0),
      steps: [putPod('web-1'), putPod('web-2')],
      neverTwice: true,
    },
    {
      ...TWO,
      name: 'the first slices; one call has no answer',
      cluster: unreconciled(0),
      steps: [putPod('web-1'), putPod('web-2')],
      neverTwice: true,
      faults: { losses: 1 },
    },
    {
      ...TWO,
      name: 'the first slice, whose name somebody else has',
      cluster: await withNameTaken(),
      steps: [putPod('web-1'), deletePod('web-1')],
    },
    {
      ...TWO,
      name: 'a slice goes; one worker dies',
      cluster: three,
      steps: [deletePod('web-3')],
      faults: { crashes: 1 },
    },
    {
      ...TWO,
      name: 'a slice goes and one comes; one worker dies',
      cluster: three,
      steps: [deletePod('web-3'), putPod('web-4')],
      faults: { crashes: 1 },
    },
    {
      ...TWO,
      name: 'a slice goes and one comes; one call has no answer',
      cluster: three,
      steps: [deletePod('web-3'), putPod('web-4')],
      faults: { losses: 1 },
    },
    { ...TWO, name: 'the Service goes and comes back', cluster: one, steps: [deleteService(), putService()] },
    {
      ...TWO,
      name: 'the Service selects others',
      cluster: one,
      steps: [putService('other'), putPod('web-2', { app: 'other' })],
    },
    {
      ...TWO,
      name: 'somebody edits a slice and then takes it over',
      cluster: one,
      steps: [editSlice(), takeSlice()],
    },
    {
      ...TWO,
      name: 'one process has two messages at once, and dies',
      cluster: one,
      steps: FLIP,
      processes: 1,
      capacity: 2,
      isReused: true,
      faults: { crashes: 1 },
    },
    {
      ...TWO,
      name: 'two processes remember what they did; one dies',
      cluster: one,
      steps: FLIP,
      isReused: true,
      faults: { crashes: 1 },
    },
  ]
}

/** Every interleaving, with pods of any version from the message's on, by API servers whose caches lag. */
export async function floorScenarios(): Promise<NamedScenario[]> {
  const [one, three] = [await reconciled(1, 'global'), await reconciled(3, 'global')]
  const none = unreconciled(0, 'global')
  const otherToo = withPod(one, 'web-2', { app: 'other' })
  const others = [
    putPod('web-1', { ready: false }),
    putPod('web-2', { app: 'other', ready: false }),
    putService('other'),
  ] as const
  return [
    {
      ...TWO,
      name: 'a pod fails and recovers; one worker dies',
      cluster: one,
      steps: FLIP,
      faults: { crashes: 1 },
    },
    {
      ...TWO,
      name: 'a pod fails and recovers; one message comes twice',
      cluster: one,
      steps: FLIP,
      faults: { duplicates: 1 },
    },
    {
      ...TWO,
      name: 'a pod comes and goes; one call has no answer',
      cluster: one,
      steps: [putPod('web-2'), deletePod('web-2')],
      faults: { losses: 1 },
    },
    { ...TWO, name: 'the first slices', cluster: none, steps: FLIP },
    { ...TWO, name: 'the Service selects others, which changed before', cluster: otherToo, steps: others },
    {
      ...TWO,
      name: 'the Service selects more, sent as one with a pod that stays as it is',
      cluster: one,
      steps: [together(putPod('web-1'), putPod('web-2', { app: 'other' }), putService('all'))],
    },
    {
      ...TWO,
      name: 'one process remembers what it did while a pod stays ready and then fails',
      cluster: one,
      // The last one is of no Service; it only takes time.
      steps: [putPod('web-1'), putPod('web-1', { ready: false }), putPod('web-3', { app: 'other' })],
      processes: 1,
      isReused: true,
    },
    {
      ...TWO,
      name: 'a slice goes and comes back; one worker dies',
      cluster: three,
      steps: LEAVE,
      faults: { crashes: 1 },
      maxInterruptions: 2,
    },
    {
      ...TWO,
      name: 'a slice goes and comes back; one message comes twice to processes of two messages',
      cluster: three,
      steps: LEAVE,
      capacity: 2,
      faults: { duplicates: 1 },
      maxInterruptions: 1,
    },
    {
      ...TWO,
      name: 'the cluster was restored',
      cluster: one,
      steps: [fromBeforeRestore(putPod('web-1', { ready: false })), putPod('web-1')],
    },
    {
      ...TWO,
      name: 'one process has two messages at once, and dies',
      cluster: one,
      steps: FLIP,
      processes: 1,
      capacity: 2,
      isReused: true,
      faults: { crashes: 1 },
    },
    {
      ...TWO,
      name: 'two processes remember what they did; one dies',
      cluster: one,
      steps: FLIP,
      isReused: true,
      faults: { crashes: 1 },
    },
  ]
}

/**
 * Every interleaving of looks where a hint says, of looks at the whole Service, and of both at once.
 * @param relayVerifies what was written is verified by the relay, and no function reads it back
 */
export async function hintedScenarios(relayVerifies = false): Promise<NamedScenario[]> {
  const [one, three] = [await reconciled(1, 'global'), await reconciled(3, 'global')]
  const [fails, recovers] = [hinted(FLIP[0], ['web-1']), hinted(FLIP[1], ['web-1'])]
  const flip = [fails, recovers]
  const comes = hinted(putPod('web-4'), ['web-4'])
  const [five, four] = [await reconciled(5, 'global'), await afterReconcile(withPod(three, 'web-4'))]
  const scenarios: readonly NamedScenario[] = [
    {
      ...TWO,
      name: 'a pod fails and recovers; one worker dies',
      cluster: one,
      steps: flip,
      faults: { crashes: 1 },
    },
    {
      ...TWO,
      name: 'a pod fails and recovers; one call has no answer',
      cluster: one,
      steps: flip,
      faults: { losses: 1 },
    },
    {
      ...TWO,
      name: 'a pod fails and recovers; one message comes twice',
      cluster: one,
      steps: flip,
      faults: { duplicates: 1 },
    },
    { ...TWO, name: 'a pod fails, seen as a whole, and recovers', cluster: one, steps: [FLIP[0], recovers] },
    { ...TWO, name: 'a pod fails, and recovers, seen as a whole', cluster: one, steps: [fails, FLIP[1]] },
    {
      ...TWO,
      name: 'a pod comes and goes; one worker dies',
      cluster: three,
      steps: [comes, hinted(deletePod('web-4'), ['web-4'])],
      faults: { crashes: 1 },
    },
    {
      ...TWO,
      name: 'a pod comes and goes, by a relay that does not see the slices change',
      relayLags: true,
      cluster: three,
      steps: [hinted(putPod('web-4'), ['web-4'], three), hinted(deletePod('web-4'), ['web-4'], three)],
    },
    {
      ...TWO,
      name: 'a pod comes, and another one leaves room elsewhere, seen as a whole',
      cluster: three,
      steps: [comes, deletePod('web-1')],
      maxInterruptions: 1,
    },
    {
      ...TWO,
      name: 'a pod comes, and others leave room elsewhere, seen as a whole; one worker dies',
      cluster: three,
      steps: [comes, deletePod('web-1')],
      faults: { crashes: 1 },
      maxInterruptions: 1,
    },
    {
      ...TWO,
      name: 'two pods come for one place',
      cluster: three,
      steps: [hinted(putPod('web-4'), ['web-4'], three), hinted(putPod('web-5'), ['web-5'], three)],
      maxInterruptions: 3,
    },
    {
      ...TWO,
      name: 'a pod is deleted and made again under its name',
      cluster: three,
      steps: [hinted(deletePod('web-1'), ['web-1']), hinted(putPod('web-1'), ['web-1'])],
      maxInterruptions: 3,
    },
    {
      ...TWO,
      name: 'the last pod of a slice goes and comes back',
      cluster: three,
      steps: [hinted(deletePod('web-3'), ['web-3']), hinted(putPod('web-3'), ['web-3'])],
      maxInterruptions: 3,
    },
    {
      ...TWO,
      name: 'a pod fails while somebody edits its slice and takes it over',
      cluster: one,
      steps: [fails, editSlice(), takeSlice()],
      maxInterruptions: 3,
    },
    {
      ...TWO,
      name: 'a pod fails while the Service goes and comes back',
      cluster: one,
      steps: [fails, deleteService(), putService()],
      maxInterruptions: 1,
    },
    {
      ...TWO,
      name: 'a pod fails and recovers while the Service selects others',
      cluster: withPod(one, 'web-2', { app: 'other' }),
      steps: [fails, putService('other')],
      maxInterruptions: 2,
    },
    {
      ...TWO,
      name: 'a pod comes to two slices at once, seen as a whole, and goes by a relay that knows one of them',
      relayLags: true,
      cluster: three,
      steps: [comes, deletePod('web-1'), hinted(deletePod('web-4'), ['web-4'], four)],
      answersInOrder: true,
      maxInterruptions: 2,
    },
    {
      ...TWO,
      name: 'changes of two pods, sent as one',
      cluster: three,
      steps: [together(fails, hinted(putPod('web-3', { ready: false }), ['web-3'])), recovers],
      answersInOrder: true,
      maxInterruptions: 3,
    },
    {
      ...TWO,
      name: 'changes of two pods, sent as one, of one of which nothing is told',
      cluster: three,
      steps: [together(fails, putPod('web-3', { ready: false })), recovers],
      answersInOrder: true,
      maxInterruptions: 2,
    },
    {
      ...TWO,
      name: 'a pod comes and another one fails, sent as one, and a third leaves room elsewhere, seen as a whole',
      cluster: five,
      steps: [together(hinted(putPod('web-6'), ['web-6']), fails), deletePod('web-3')],
      answersInOrder: true,
      maxInterruptions: 2,
    },
    {
      ...TWO,
      name: 'one process has messages of two pods at once',
      cluster: three,
      steps: [fails, hinted(putPod('web-3', { ready: false }), ['web-3']), recovers],
      processes: 1,
      capacity: 3,
      isReused: true,
      answersInOrder: true,
      maxInterruptions: 1,
    },
    {
      ...TWO,
      name: 'two processes remember what they did; one dies',
      cluster: one,
      steps: flip,
      isReused: true,
      faults: { crashes: 1 },
    },
    {
      ...TWO,
      name: 'two processes remember what they read while a pod fails, recovers and fails',
      cluster: one,
      steps: [...flip, fails],
      isReused: true,
      answersInOrder: true,
      maxInterruptions: 1,
    },
    {
      ...TWO,
      name: 'two processes remember what they read while a pod fails and the Service selects others',
      cluster: withPod(one, 'web-2', { app: 'other' }),
      steps: [fails, putService('other'), hinted(putPod('web-2', { app: 'other', ready: false }), ['web-2'])],
      isReused: true,
      answersInOrder: true,
      maxInterruptions: 1,
    },
    {
      ...TWO,
      name: 'two processes remember what they read while somebody edits the slice and a pod recovers',
      cluster: one,
      steps: [fails, editSlice(), recovers],
      isReused: true,
      answersInOrder: true,
      maxInterruptions: 1,
    },
  ]
  // Whoever verifies has seen the slices: one that lags verifies later, by the Pods as they are then.
  const played = relayVerifies ? scenarios.filter(({ relayLags }) => !relayLags) : scenarios
  return played.map((scenario) => ({ ...scenario, relayVerifies }))
}

/** Larger ones, for a run that may take minutes. */
export async function deepScenarios(): Promise<NamedScenario[]> {
  const [one, floored] = [await reconciled(1), await reconciled(1, 'global')]
  const again = [...FLIP, ...FLIP]
  return [
    {
      ...TWO,
      name: 'a pod fails and recovers; all faults',
      cluster: one,
      steps: FLIP,
      faults: { crashes: 1, losses: 1, duplicates: 1 },
    },
    {
      ...TWO,
      name: 'the first slices, of three pods',
      cluster: unreconciled(0),
      steps: [putPod('web-1'), putPod('web-2'), putPod('web-3')],
    },
    {
      ...TWO,
      name: 'the Service goes and comes back; one worker dies',
      cluster: one,
      steps: [deleteService(), putService()],
      faults: { crashes: 1 },
    },
    {
      ...TWO,
      name: 'a pod fails and recovers twice, at most three interruptions',
      cluster: one,
      steps: again,
      maxInterruptions: 3,
    },
    {
      ...TWO,
      name: 'three workers, at most three interruptions',
      cluster: one,
      steps: [...FLIP, putPod('web-2')],
      processes: 3,
      maxInterruptions: 3,
    },
    {
      ...TWO,
      name: 'two processes of two messages each, at most two interruptions',
      cluster: one,
      steps: [...FLIP, putPod('web-2')],
      capacity: 2,
      isReused: true,
      maxInterruptions: 2,
      faults: { crashes: 1 },
    },
    {
      ...TWO,
      name: 'floors: a pod fails and recovers twice, at most two interruptions',
      cluster: floored,
      steps: again,
      maxInterruptions: 2,
    },
    {
      ...TWO,
      name: 'floors: two processes of two messages each, at most one interruption',
      cluster: floored,
      steps: [...FLIP, putPod('web-2')],
      capacity: 2,
      isReused: true,
      maxInterruptions: 1,
      faults: { crashes: 1 },
    },
  ]
}

/** What no order of reads and writes can prevent; the next sweep mends it. */
export async function limits(): Promise<NamedScenario[]> {
  const cluster = await reconciled(1)
  return [
    {
      ...TWO,
      name: 'a message comes twice, one worker finishes it and the other dies between its write and its look',
      cluster,
      steps: FLIP,
      faults: { crashes: 1, duplicates: 1, sharedReceipts: true },
    },
    {
      ...TWO,
      name: 'a write arrives after its worker has died and its message was handled again',
      cluster,
      steps: FLIP,
      faults: { crashes: 1, strays: 1 },
    },
  ]
}
