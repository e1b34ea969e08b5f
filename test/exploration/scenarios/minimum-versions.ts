import { deletePod, fromBeforeRestore, putPod, putService, together, withPod } from '../environment.ts'
import {
  CRASH,
  DUPLICATE,
  FLIP,
  flips,
  inOrder,
  LOSS,
  type NamedScenario,
  REUSED,
  reconciled,
  scenariosOf,
  unreconciled,
} from './starts.ts'

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
    ...scenariosOf({
      'a pod comes and goes; one call has no answer': [one, [putPod('web-2'), deletePod('web-2')], LOSS],
      'the first slices': [none, FLIP],
      'the Service selects others, which changed before': [otherToo, others, { maxInterruptions: 2 }],
      'the Service selects more, sent as one with a pod that stays as it is': [
        one,
        [together(putPod('web-1'), putPod('web-2', { app: 'other' }), putService('all'))],
      ],
      'one process remembers what it did while a pod stays ready and then fails': [
        one,
        // The last one is of no Service; it only takes time.
        [putPod('web-1'), putPod('web-1', { ready: false }), putPod('web-3', { app: 'other' })],
        { ...REUSED, processes: 1 },
      ],
      'a slice goes and comes back; one worker dies': [three, LEAVE, { ...CRASH, maxInterruptions: 2 }],
      'a slice goes and comes back; one message comes twice to processes of two messages': [
        three,
        LEAVE,
        { ...DUPLICATE, capacity: 2, ...inOrder(1) },
      ],
      'the cluster was restored': [
        one,
        [fromBeforeRestore(putPod('web-1', { ready: false })), putPod('web-1')],
      ],
    }),
  ]
}
