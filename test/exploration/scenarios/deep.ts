import { deleteService, putPod, putService } from '../environment.ts'
import { FLIP, type NamedScenario, reconciled, TWO, unreconciled } from './starts.ts'

/** Returns larger scenarios, for a run that may take minutes. */
export async function deepScenarios(): Promise<NamedScenario[]> {
  const [one, versioned] = [await reconciled(1), await reconciled(1, 'global')]
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
      name: 'versions: a pod fails and recovers twice, at most two interruptions',
      cluster: versioned,
      steps: again,
      maxInterruptions: 2,
    },
    {
      ...TWO,
      name: 'versions: two processes of two messages each, at most one interruption',
      cluster: versioned,
      steps: [...FLIP, putPod('web-2')],
      capacity: 2,
      isReused: true,
      maxInterruptions: 1,
      faults: { crashes: 1 },
    },
  ]
}
