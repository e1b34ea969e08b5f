import {
  deletePod,
  deleteService,
  editSlice,
  hinted,
  putPod,
  putService,
  takeSlice,
  together,
  withPod,
} from '../environment.ts'
import { afterReconcile, FLIP, type NamedScenario, reconciled, TWO } from './starts.ts'

/** What a Service may have beside its selector. */
const OTHER = { labels: { tier: 'front' }, ports: [{ name: 'http', port: 80, targetPort: 81 }] } as const

/**
 * Returns scenarios that explore every interleaving of hinted syncs, of full syncs, and of
 * both.
 * @param relayVerifies the relay verifies what was written, and no function reads it back
 */
export async function hintedScenarios(relayVerifies = false): Promise<NamedScenario[]> {
  const [one, three] = [await reconciled(1, 'global'), await reconciled(3, 'global')]
  const none = await reconciled(0, 'global')
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
      name: 'the first pod comes and goes; one worker dies',
      cluster: none,
      steps: [hinted(putPod('web-1'), ['web-1']), hinted(deletePod('web-1'), ['web-1'])],
      faults: { crashes: 1 },
    },
    {
      ...TWO,
      name: 'two pods come for a placeholder, one of them seen as a whole',
      cluster: none,
      steps: [hinted(putPod('web-1'), ['web-1'], none), putPod('web-2')],
      maxInterruptions: 3,
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
      name: 'a pod is deleted and recreated under its name',
      cluster: three,
      steps: [hinted(deletePod('web-1'), ['web-1']), hinted(putPod('web-1'), ['web-1'])],
      maxInterruptions: 3,
    },
    {
      ...TWO,
      name: 'the last pod of a slice goes and comes back',
      cluster: three,
      steps: [hinted(deletePod('web-3'), ['web-3']), hinted(putPod('web-3'), ['web-3'])],
      answersInOrder: true,
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
      answersInOrder: true,
      maxInterruptions: 1,
    },
    {
      ...TWO,
      name: 'a pod fails and recovers while the Service selects others',
      cluster: withPod(one, 'web-2', { app: 'other' }),
      steps: [fails, putService('other')],
      maxInterruptions: 2,
    },
    ...Object.entries(OTHER).map(
      ([field, value]): NamedScenario => ({
        ...TWO,
        name: `a pod fails while the Service has other ${field} for a moment`,
        cluster: one,
        steps: [fails, putService(undefined, { [field]: value }), putService()],
        answersInOrder: true,
        maxInterruptions: 2,
      }),
    ),
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
  // A relay that verifies has seen the slices: one that lags verifies later, by the Pods as they are then.
  const played = relayVerifies ? scenarios.filter(({ relayLags }) => !relayLags) : scenarios
  // It says what it saw, by which a worker reads several objects at once: many more orders.
  const isLarge = ({ faults, steps }: NamedScenario): boolean =>
    relayVerifies &&
    (faults?.duplicates !== undefined || steps.some(({ label }) => label.includes('takes over')))
  return played.map((scenario) => ({
    ...scenario,
    relayVerifies,
    ...(isLarge(scenario) && { answersInOrder: true, maxInterruptions: 2 }),
  }))
}
