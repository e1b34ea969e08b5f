import type { EndpointSlice } from '../../../shared/endpointslice/index.ts'
import { ENDPOINT_SLICES } from '../../../shared/kubernetes/index.ts'
import { makeSlice } from '../../support/world/index.ts'
import { deletePod, deleteService, editSlice, putPod, putService, takeSlice } from '../environment.ts'
import { NAMESPACE } from '../scenario.ts'
import { objectsOf, putObject, type SimulatedCluster, withSliceCache } from '../simulated-api.ts'
import {
  CRASH,
  FLIP,
  flips,
  inOrder,
  LOSS,
  type NamedScenario,
  reconciled,
  scenariosOf,
  unreconciled,
} from './starts.ts'

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
    ...scenariosOf({
      'a pod fails and recovers': [one, FLIP],
      'a pod fails and recovers; one call has no answer': [one, FLIP, LOSS],
      'the first slices': [unreconciled(0), [putPod('web-1'), putPod('web-2')], { neverTwice: true }],
      'the first slices; one call has no answer': [
        unreconciled(0),
        [putPod('web-1'), putPod('web-2')],
        { ...LOSS, neverTwice: true },
      ],
      'the first slice, whose name somebody else has': [
        await withNameTaken(),
        [putPod('web-1'), deletePod('web-1')],
      ],
      'a slice goes; one worker dies': [three, [deletePod('web-3')], CRASH],
      'a slice goes and one comes; one worker dies': [three, [deletePod('web-3'), putPod('web-4')], CRASH],
      'a slice goes and one comes; one call has no answer': [
        three,
        [deletePod('web-3'), putPod('web-4')],
        LOSS,
      ],
      'a slice goes and one comes, verified by a cache that lags; one worker dies': [
        withSliceCache(await reconciled(3, 'global')),
        [deletePod('web-3'), putPod('web-4')],
        { ...CRASH, ...inOrder(3) },
      ],
      'the Service goes and comes back': [one, [deleteService(), putService()]],
      'the Service selects others': [one, [putService('other'), putPod('web-2', { app: 'other' })]],
      'somebody edits a slice and then takes it over': [one, [editSlice(), takeSlice()]],
    }),
  ]
}
