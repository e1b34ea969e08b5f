import type { EndpointSlice } from '../../../shared/endpointslice/index.ts'
import { ENDPOINT_SLICES } from '../../../shared/kubernetes/index.ts'
import { makeSlice } from '../../support/world/index.ts'
import { deletePod, deleteService, editSlice, putPod, putService, takeSlice } from '../environment.ts'
import { NAMESPACE } from '../scenario.ts'
import { objectsOf, putObject, type SimulatedCluster } from '../simulated-api.ts'
import { FLIP, flips, type NamedScenario, reconciled, TWO, unreconciled } from './starts.ts'

/** Returns a cluster in which another writer's slice has the name that ours would get. */
async function withNameTaken(): Promise<SimulatedCluster> {
  const [slice] = objectsOf<EndpointSlice>(await reconciled(0), ENDPOINT_SLICES.plural)
  const taken = makeSlice({ namespace: NAMESPACE, name: slice?.metadata?.name ?? '' })
  return putObject(unreconciled(0), ENDPOINT_SLICES.plural, taken)
}

/** Returns scenarios that explore every interleaving with consistent reads. */
export async function consistentScenarios(): Promise<NamedScenario[]> {
  const [one, three] = [await reconciled(1), await reconciled(3)]
  return [
    ...flips(one),
    { ...TWO, name: 'a pod fails and recovers', cluster: one, steps: FLIP },
    {
      ...TWO,
      name: 'a pod fails and recovers; one call has no answer',
      cluster: one,
      steps: FLIP,
      faults: { losses: 1 },
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
  ]
}
