import { deleteService, putPod, putService } from '../environment.ts'
import { CRASH, FLIP, type NamedScenario, REUSED, reconciled, scenariosOf, unreconciled } from './starts.ts'

/** Returns larger scenarios, for a run that may take minutes. */
export async function deepScenarios(): Promise<NamedScenario[]> {
  const [one, versioned] = [await reconciled(1), await reconciled(1, 'global')]
  const again = [...FLIP, ...FLIP]
  return scenariosOf({
    'a pod fails and recovers; all faults': [one, FLIP, { faults: { crashes: 1, losses: 1, duplicates: 1 } }],
    'the first slices, of three pods': [unreconciled(0), [putPod('web-1'), putPod('web-2'), putPod('web-3')]],
    'the Service goes and comes back; one worker dies': [one, [deleteService(), putService()], CRASH],
    'a pod fails and recovers twice, at most three interruptions': [one, again, { maxInterruptions: 3 }],
    'three workers, at most three interruptions': [
      one,
      [...FLIP, putPod('web-2')],
      { processes: 3, maxInterruptions: 3 },
    ],
    'two processes of two messages each, at most two interruptions': [
      one,
      [...FLIP, putPod('web-2')],
      { ...CRASH, capacity: 2, ...REUSED, maxInterruptions: 2 },
    ],
    'versions: a pod fails and recovers twice, at most two interruptions': [
      versioned,
      again,
      { maxInterruptions: 2 },
    ],
    'versions: two processes of two messages each, at most one interruption': [
      versioned,
      [...FLIP, putPod('web-2')],
      { ...CRASH, capacity: 2, ...REUSED, maxInterruptions: 1 },
    ],
  })
}
