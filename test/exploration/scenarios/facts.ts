import {
  deletePod,
  deleteService,
  editSlice,
  informed,
  informedLate,
  type PodChange,
  putPod,
  putService,
  takeSlice,
  together,
  withPod,
} from '../environment.ts'
import type { EnvironmentStep } from '../scenario.ts'
import { withSliceCache } from '../simulated-api.ts'
import {
  CRASH,
  DEEP_REUSED,
  DUPLICATE,
  FLIP,
  inOrder,
  LOSS,
  type NamedScenario,
  ONE,
  OUTAGE,
  REUSED,
  reconciled,
  scenariosOf,
  unreconciled,
} from './starts.ts'

const put = (name: string, change: PodChange = {}): EnvironmentStep => informed(putPod(name, change), [name])
const remove = (name: string): EnvironmentStep => informed(deletePod(name), [name])

/**
 * Returns scenarios in which the relay says what it has seen of the Pods. All changes come within the time
 * for which facts count, so that a message may overtake any other.
 */
export async function factsScenarios(): Promise<NamedScenario[]> {
  const [one, three] = [await reconciled(1, 'global'), await reconciled(3, 'global')]
  const [fails, recovers] = [put('web-1', { ready: false }), put('web-1')]
  const flip = [fails, recovers]
  const [comes, goes] = [put('web-2'), remove('web-2')]
  const newcomer = [comes, goes]
  const two = withPod(one, 'web-2', { app: 'other' })
  const [oneCached, twoCached] = [withSliceCache(one), withSliceCache(two)]
  const [selectsOthers, selectsBack] = [informed(putService('other')), informed(putService())]
  const scenarios = scenariosOf({
    'a pod fails and recovers; one worker dies': [one, flip, CRASH],
    'a pod fails and recovers; one call has no answer': [one, flip, LOSS],
    'a pod fails and recovers; one message comes twice': [one, flip, { ...DUPLICATE, maxInterruptions: 1 }],
    'a pod fails, recovers and fails': [one, [...flip, fails], inOrder(2)],
    'a pod fails and recovers; one worker dies, and the relay stops and starts': [
      one,
      flip,
      { faults: { relayOutages: 1, crashes: 1 }, ...inOrder(1) },
    ],
    'two processes remember what they read while a pod fails and recovers': [
      one,
      flip,
      { ...REUSED, ...inOrder(1) },
    ],
    'two processes remember what they read while a pod fails and recovers; the relay stops and starts': [
      one,
      flip,
      { ...OUTAGE, ...DEEP_REUSED, ...inOrder(1) },
    ],
    'one process of two messages remembers what it read while a pod fails, recovers and fails': [
      one,
      [...flip, fails],
      { ...ONE, ...inOrder(1) },
    ],
    'one process of two messages remembers what it read while a pod fails, recovers and fails; one message comes twice':
      [one, [...flip, fails], { ...ONE, ...DUPLICATE, isDeep: true, ...inOrder(1) }],
    'a pod fails and recovers, seen as a whole, and the relay sends late what it saw': [
      one,
      [FLIP[0], FLIP[1], informedLate(1, ['web-1']), informedLate(0, ['web-1'])],
      inOrder(1),
    ],
    'a pod fails and recovers, seen as a whole, and the Service gets another port from a relay that saw late':
      [one, [FLIP[0], FLIP[1], informedLate(1, putService('web', { ports: [{ port: 81 }] }))], inOrder(1)],
    'a pod is deleted and recreated under its name': [
      three,
      [remove('web-1'), put('web-1')],
      { maxInterruptions: 1 },
    ],
    'a pod comes and goes': [one, newcomer, CRASH],
    'a pod comes and goes; one message comes twice': [one, newcomer, { ...DUPLICATE, ...inOrder(1) }],
    'a pod comes and goes; the relay stops and starts': [one, newcomer, { ...OUTAGE, ...inOrder(1) }],
    'two processes remember what they read while a pod comes, fails and goes': [
      one,
      [comes, put('web-2', { ready: false }), goes],
      { ...DEEP_REUSED, ...inOrder(1) },
    ],
    'the first pod comes, fails and goes': [
      await reconciled(0, 'global'),
      [put('web-1'), put('web-1', { ready: false }), remove('web-1')],
      inOrder(1),
    ],
    'a pod leaves the selection and comes back': [
      three,
      [put('web-1', { app: 'other' }), put('web-1')],
      inOrder(1),
    ],
    'the last pod of a slice goes and comes back': [three, [remove('web-3'), put('web-3')], inOrder(1)],
    'a pod fails while somebody edits its slice and takes it over': [
      one,
      [fails, editSlice(), takeSlice()],
      { maxInterruptions: 1 },
    ],
    'one process has facts of two pods at once': [
      three,
      [fails, put('web-3', { ready: false }), recovers],
      { ...ONE, ...inOrder(1) },
    ],
    'a pod fails and another one comes while the Service selects others': [
      two,
      [fails, putService('other'), put('web-2', { app: 'other', ready: false })],
      inOrder(1),
    ],
    'the Service selects others and back, read at once': [
      twoCached,
      [selectsOthers, selectsBack],
      { ...CRASH, ...inOrder(1) },
    ],
    'the Service selects others, read at once, while a pod fails and another one comes to it': [
      twoCached,
      [selectsOthers, put('web-2', { app: 'other', ready: false }), put('web-1', { app: 'other' })],
      inOrder(1),
    ],
    'the Service goes and comes back, read at once': [
      oneCached,
      [informed(deleteService()), informed(putService())],
      { ...CRASH, ...inOrder(1) },
    ],
    'the Service goes while a slow worker adds a pod, read at once': [
      oneCached,
      [comes, informed(deleteService())],
      { ...CRASH, ...inOrder(2) },
    ],
    'the Service comes, read at once, while its pod fails and recovers': [
      withSliceCache(unreconciled(1, 'global')),
      [informed(putService()), ...flip],
      inOrder(1),
    ],
    'the Service comes, read at once, before its first pod': [
      withSliceCache(unreconciled(0, 'global')),
      [informed(putService()), put('web-1')],
      { ...CRASH, ...inOrder(1) },
    ],
    'the Service comes and gets another port, read at once, while its pod fails': [
      withSliceCache(unreconciled(1, 'global')),
      [informed(putService()), informed(putService('web', { ports: [{ port: 81 }] })), fails],
      inOrder(1),
    ],
    'the Service comes, goes and comes, read at once; one worker dies': [
      withSliceCache(unreconciled(1, 'global')),
      [informed(putService()), informed(deleteService()), informed(putService())],
      { ...CRASH, ...inOrder(1) },
    ],
    'the Service comes, read at once, and its pod fails; the relay stops and starts': [
      withSliceCache(unreconciled(1, 'global')),
      [informed(putService()), fails],
      { ...OUTAGE, ...inOrder(1) },
    ],
    'two processes remember what they read while a pod fails and recovers and the Service changes': [
      oneCached,
      [fails, informed(putService()), recovers],
      { ...REUSED, ...inOrder(1) },
    ],
    'one process of two messages reads at once what comes and goes': [
      twoCached,
      [selectsOthers, selectsBack],
      { ...ONE, ...inOrder(1) },
    ],
    'the Service selects others and a pod of theirs fails, sent as one, and recovers': [
      twoCached,
      [together(selectsOthers, put('web-2', { app: 'other', ready: false })), put('web-2', { app: 'other' })],
      { ...CRASH, ...inOrder(1) },
    ],
    'a pod fails and the Service gets another port, sent as one, and the pod recovers': [
      oneCached,
      [together(fails, informed(putService('web', { ports: [{ port: 81 }] }))), recovers],
      { ...CRASH, ...inOrder(1) },
    ],
    'a pod comes, and another one fails, sent as one with the Service, while the pod goes': [
      oneCached,
      [together(comes, informed(putService('web', { ports: [{ port: 81 }] })), fails), goes],
      inOrder(1),
    ],
    'two pods fail, sent as one, and one recovers': [
      three,
      [together(fails, put('web-3', { ready: false })), recovers],
      inOrder(1),
    ],
  })
  return scenarios.map((scenario) => ({ ...scenario, relayVerifies: true, stepMs: 100 }))
}
