import {
  deletePod,
  editSlice,
  informed,
  informedLate,
  putPod,
  putService,
  takeSlice,
  together,
  withPod,
} from '../environment.ts'
import { withSliceCache } from '../simulated-api.ts'
import { FLIP, type NamedScenario, reconciled, TWO, unreconciled } from './starts.ts'

/**
 * Returns scenarios in which the relay says what it has seen of the Pods. All changes come within the time
 * for which facts count, so that a message may overtake any other.
 */
export async function factsScenarios(): Promise<NamedScenario[]> {
  const [one, three] = [await reconciled(1, 'global'), await reconciled(3, 'global')]
  const [fails, recovers] = [informed(FLIP[0], ['web-1']), informed(FLIP[1], ['web-1'])]
  const flip = [fails, recovers]
  const [comes, goes] = [informed(putPod('web-2'), ['web-2']), informed(deletePod('web-2'), ['web-2'])]
  const newcomer = [comes, goes]
  const two = withPod(one, 'web-2', { app: 'other' })
  const [oneCached, twoCached] = [withSliceCache(one), withSliceCache(two)]
  const [selectsOthers, selectsBack] = [informed(putService('other')), informed(putService())]
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
      maxInterruptions: 1,
    },
    {
      ...TWO,
      name: 'a pod fails, recovers and fails',
      cluster: one,
      steps: [...flip, fails],
      answersInOrder: true,
      maxInterruptions: 2,
    },
    {
      ...TWO,
      name: 'a pod fails, recovers and fails; the relay stops and starts',
      cluster: one,
      steps: [...flip, fails],
      faults: { relayOutages: 1 },
      answersInOrder: true,
      maxInterruptions: 1,
    },
    {
      ...TWO,
      name: 'a pod fails and recovers; one worker dies, and the relay stops and starts',
      cluster: one,
      steps: flip,
      faults: { relayOutages: 1, crashes: 1 },
      answersInOrder: true,
      maxInterruptions: 1,
    },
    {
      ...TWO,
      name: 'two processes remember what they read while a pod fails and recovers',
      cluster: one,
      steps: flip,
      isReused: true,
      answersInOrder: true,
      maxInterruptions: 1,
    },
    {
      ...TWO,
      name: 'two processes remember what they read while a pod fails and recovers; the relay stops and starts',
      cluster: one,
      steps: flip,
      isReused: true,
      answersInOrder: true,
      faults: { relayOutages: 1 },
      maxInterruptions: 1,
    },
    {
      ...TWO,
      name: 'one process of two messages remembers what it read while a pod fails, recovers and fails',
      cluster: one,
      steps: [...flip, fails],
      processes: 1,
      capacity: 2,
      isReused: true,
      maxInterruptions: 1,
    },
    {
      ...TWO,
      name: 'a pod fails and recovers, seen as a whole, and the relay sends late what it saw',
      cluster: one,
      steps: [FLIP[0], FLIP[1], informedLate(1, ['web-1']), informedLate(0, ['web-1'])],
      answersInOrder: true,
      maxInterruptions: 1,
    },
    {
      ...TWO,
      name: 'a pod is deleted and recreated under its name',
      cluster: three,
      steps: [informed(deletePod('web-1'), ['web-1']), informed(putPod('web-1'), ['web-1'])],
      maxInterruptions: 1,
    },
    {
      ...TWO,
      name: 'a pod comes and goes',
      cluster: one,
      steps: newcomer,
      faults: { crashes: 1 },
    },
    {
      ...TWO,
      name: 'a pod comes and goes; one message comes twice',
      cluster: one,
      steps: newcomer,
      faults: { duplicates: 1 },
      maxInterruptions: 1,
    },
    {
      ...TWO,
      name: 'a pod comes and goes; the relay stops and starts',
      cluster: one,
      steps: newcomer,
      answersInOrder: true,
      faults: { relayOutages: 1 },
      maxInterruptions: 1,
    },
    {
      ...TWO,
      name: 'two processes remember what they read while a pod comes, fails and goes',
      cluster: one,
      steps: [comes, informed(putPod('web-2', { ready: false }), ['web-2']), goes],
      isReused: true,
      answersInOrder: true,
      maxInterruptions: 1,
    },
    {
      ...TWO,
      name: 'a pod leaves the selection and comes back',
      cluster: three,
      steps: [informed(putPod('web-1', { app: 'other' }), ['web-1']), informed(putPod('web-1'), ['web-1'])],
      answersInOrder: true,
      maxInterruptions: 1,
    },
    {
      ...TWO,
      name: 'the last pod of a slice goes and comes back',
      cluster: three,
      steps: [informed(deletePod('web-3'), ['web-3']), informed(putPod('web-3'), ['web-3'])],
      answersInOrder: true,
      maxInterruptions: 1,
    },
    {
      ...TWO,
      name: 'a pod fails while somebody edits its slice and takes it over',
      cluster: one,
      steps: [fails, editSlice(), takeSlice()],
      maxInterruptions: 1,
    },
    {
      ...TWO,
      name: 'a pod fails and another one comes while the Service selects others',
      cluster: two,
      steps: [
        fails,
        putService('other'),
        informed(putPod('web-2', { app: 'other', ready: false }), ['web-2']),
      ],
      answersInOrder: true,
      maxInterruptions: 1,
    },
    {
      ...TWO,
      name: 'the Service selects others and back, read at once',
      cluster: twoCached,
      steps: [selectsOthers, selectsBack],
      answersInOrder: true,
      faults: { crashes: 1 },
      maxInterruptions: 1,
    },
    {
      ...TWO,
      name: 'the Service selects others, read at once, while a pod fails and another one comes to it',
      cluster: twoCached,
      steps: [
        selectsOthers,
        informed(putPod('web-2', { app: 'other', ready: false }), ['web-2']),
        informed(putPod('web-1', { app: 'other' }), ['web-1']),
      ],
      answersInOrder: true,
      maxInterruptions: 1,
    },
    {
      ...TWO,
      name: 'the Service comes, read at once, while its pod fails',
      cluster: withSliceCache(unreconciled(1, 'global')),
      steps: [informed(putService()), fails],
      maxInterruptions: 1,
    },
    {
      ...TWO,
      name: 'the Service comes, read at once, while its pod fails and recovers',
      cluster: withSliceCache(unreconciled(1, 'global')),
      steps: [informed(putService()), ...flip],
      answersInOrder: true,
      maxInterruptions: 1,
    },
    {
      ...TWO,
      name: 'slices are written and taken over while the Service is read at once',
      cluster: oneCached,
      steps: [informed(putService()), takeSlice(), fails],
      answersInOrder: true,
      maxInterruptions: 1,
    },
    {
      ...TWO,
      name: 'one process of two messages reads at once what comes and goes',
      cluster: twoCached,
      steps: [selectsOthers, selectsBack],
      processes: 1,
      capacity: 2,
      isReused: true,
      answersInOrder: true,
      maxInterruptions: 1,
    },
    {
      ...TWO,
      name: 'two pods fail, sent as one, and one recovers',
      cluster: three,
      steps: [together(fails, informed(putPod('web-3', { ready: false }), ['web-3'])), recovers],
      answersInOrder: true,
      maxInterruptions: 1,
    },
  ]
  return scenarios.map((scenario) => ({ ...scenario, relayVerifies: true, stepMs: 100 }))
}
