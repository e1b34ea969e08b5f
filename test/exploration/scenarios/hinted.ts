import {
  deletePod,
  deleteService,
  editSlice,
  hinted,
  type PodChange,
  putPod,
  putService,
  takeSlice,
  together,
  withPod,
} from '../environment.ts'
import type { EnvironmentStep } from '../scenario.ts'
import type { SimulatedCluster } from '../simulated-api.ts'
import {
  CRASH,
  DEEP_REUSED,
  DUPLICATE,
  FLIP,
  inOrder,
  LOSS,
  type NamedScenario,
  ONE,
  REUSED,
  reconciled,
  scenariosOf,
} from './starts.ts'

const OTHER_PORTS = [{ name: 'http', port: 80, targetPort: 81 }] as const

/** @param seen slices that the relay knows by then; default: those that there are */
const put = (name: string, change: PodChange = {}, seen?: SimulatedCluster): EnvironmentStep =>
  hinted(putPod(name, change), [name], seen)
const remove = (name: string, seen?: SimulatedCluster): EnvironmentStep =>
  hinted(deletePod(name), [name], seen)

/**
 * Returns scenarios that explore every interleaving of hinted syncs, of full syncs, and of
 * both, with a relay that verifies what was written.
 */
export async function hintedScenarios(): Promise<NamedScenario[]> {
  const [one, three] = [await reconciled(1, 'global'), await reconciled(3, 'global')]
  const none = await reconciled(0, 'global')
  const [fails, recovers] = [put('web-1', { ready: false }), put('web-1')]
  const flip = [fails, recovers]
  const comes = put('web-4')
  const five = await reconciled(5, 'global')
  const scenarios = scenariosOf({
    'a pod fails and recovers; one worker dies': [one, flip, CRASH],
    'a pod fails and recovers; one call has no answer': [one, flip, LOSS],
    'a pod fails and recovers; one message comes twice': [one, flip, { ...DUPLICATE, ...inOrder(2) }],
    'a pod fails, seen as a whole, and recovers': [one, [FLIP[0], recovers]],
    'a pod fails, and recovers, seen as a whole': [one, [fails, FLIP[1]]],
    'a pod comes and goes; one worker dies': [three, [comes, remove('web-4')], CRASH],
    'a pod comes and goes, by a relay that does not see the slices change': [
      three,
      [put('web-4', {}, three), remove('web-4', three)],
    ],
    'the only pod of a slice leaves the Service and is back; one worker dies': [
      three,
      [put('web-3', { app: 'other' }), put('web-3')],
      CRASH,
    ],
    'a pod comes, and others leave room elsewhere, seen as a whole; one worker dies': [
      three,
      [comes, deletePod('web-1')],
      { ...CRASH, maxInterruptions: 1 },
    ],
    'the first pod comes and goes; one worker dies': [none, [put('web-1'), remove('web-1')], CRASH],
    'two pods come for a placeholder, one of them seen as a whole': [
      none,
      [put('web-1', {}, none), putPod('web-2')],
      { maxInterruptions: 3 },
    ],
    'two pods come for one place': [
      three,
      [put('web-4', {}, three), put('web-5', {}, three)],
      { maxInterruptions: 3 },
    ],
    'a pod is deleted and recreated under its name': [
      three,
      [remove('web-1'), put('web-1')],
      { maxInterruptions: 3 },
    ],
    'the last pod of a slice goes and comes back': [three, [remove('web-3'), put('web-3')], inOrder(3)],
    'a pod fails while somebody edits its slice and takes it over': [
      one,
      [fails, editSlice(), takeSlice()],
      inOrder(2),
    ],
    'a pod fails while the Service goes and comes back': [
      one,
      [fails, deleteService(), putService()],
      inOrder(1),
    ],
    'a pod fails and recovers while the Service selects others': [
      withPod(one, 'web-2', { app: 'other' }),
      [fails, putService('other')],
      { maxInterruptions: 2 },
    ],
    'a pod fails while the Service has other ports for a moment': [
      one,
      [fails, putService(undefined, { ports: OTHER_PORTS }), putService()],
      inOrder(2),
    ],
    'changes of two pods, sent as one': [
      three,
      [together(fails, put('web-3', { ready: false })), recovers],
      inOrder(3),
    ],
    'changes of two pods, sent as one, of one of which nothing is reported': [
      three,
      [together(fails, putPod('web-3', { ready: false })), recovers],
      inOrder(2),
    ],
    'a pod comes and another one fails, sent as one, and a third leaves room elsewhere, seen as a whole': [
      five,
      [together(put('web-6'), fails), deletePod('web-3')],
      inOrder(2),
    ],
    'one process has messages of two pods at once': [
      three,
      [fails, put('web-3', { ready: false }), recovers],
      { ...ONE, capacity: 3, ...inOrder(0) },
    ],
    'two processes remember what they did; one dies': [one, flip, { ...CRASH, ...REUSED, ...inOrder(1) }],
    'two processes remember what they read while a pod fails, recovers and fails': [
      one,
      [...flip, fails],
      { ...DEEP_REUSED, ...inOrder(1) },
    ],
    'two processes remember what they read while a pod fails and the Service selects others': [
      withPod(one, 'web-2', { app: 'other' }),
      [fails, putService('other'), put('web-2', { app: 'other', ready: false })],
      { ...REUSED, ...inOrder(1) },
    ],
    'two processes remember what they read while somebody edits the slice and a pod recovers': [
      one,
      [fails, editSlice(), recovers],
      { ...DEEP_REUSED, ...inOrder(1) },
    ],
  })
  return scenarios.map((scenario) => ({ ...scenario, relayVerifies: true }))
}
