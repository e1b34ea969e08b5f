import { deletePod, fromBeforeRestore, putPod, putService, together, withPod } from '../environment.ts'
import { FLIP, flips, type NamedScenario, reconciled, TWO, unreconciled } from './starts.ts'

/** The same pod, so that its endpoint is the same again. */
const LEAVE = [putPod('web-3', { app: 'other' }), putPod('web-3')]

/**
 * Returns scenarios that explore every interleaving with pods of any version from the message's on, as the
 * caches of API servers lag.
 */
export async function minimumVersionScenarios(): Promise<NamedScenario[]> {
  const [one, three] = [await reconciled(1, 'global'), await reconciled(3, 'global')]
  const none = unreconciled(0, 'global')
  const otherToo = withPod(one, 'web-2', { app: 'other' })
  const others = [
    putPod('web-1', { ready: false }),
    putPod('web-2', { app: 'other', ready: false }),
    putService('other'),
  ] as const
  return [
    ...flips(one),
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
  ]
}
