import { isPodReady, type Pod } from '../../endpointslice/index.ts'
import type { PodsByName, Publisher, Write } from './publisher.ts'
import { createSlicesPublisher, type SlicesOptions } from './slices.ts'

/** Slices of noisy endpoints hold this share of the maximum, so that one change resends less. */
const SLICE_SHARE = 0.5
/** Maximum additional slices, as a share of the minimum number. It limits separate noisy endpoints. */
const MORE_SLICES = 0.25

/**
 * Groups noisy endpoints so that their changes share slices: an endpoint that becomes unready moves to the
 * noisy slices. It returns when others need its place and it has been stable for longest. Both kinds are
 * packed like the in-tree controller packs.
 */
export function createNoisyPublisher(options: SlicesOptions): Publisher {
  const { maxEndpointsPerSlice } = options
  const noisyMax = Math.max(1, Math.floor(maxEndpointsPerSlice * SLICE_SHARE))
  const quiet = createSlicesPublisher({ ...options, namePrefix: 'q' })
  const noisy = createSlicesPublisher({ ...options, maxEndpointsPerSlice: noisyMax, namePrefix: 'n' })
  const quietPods = new Map<string, Pod>()
  /** Noisy Pods in the order of their last change. */
  const noisyPods = new Map<string, Pod>()

  const fewest = (): number => Math.ceil((quietPods.size + noisyPods.size) / maxEndpointsPerSlice)
  const mostNoisy = (): number => Math.floor(fewest() * MORE_SLICES) * noisyMax

  function put(name: string, pod: Pod | undefined): void {
    const known = noisyPods.get(name)
    if (known !== undefined && known === pod) return
    const wasNoisy = noisyPods.delete(name)
    const before = quietPods.get(name)
    quietPods.delete(name)
    if (pod === undefined) return
    const isNoisy = wasNoisy || (before !== undefined && isPodReady(before) && !isPodReady(pod))
    if (isNoisy && mostNoisy() > 0) noisyPods.set(name, pod)
    else quietPods.set(name, pod)
  }

  /** @returns the names of surplus noisy Pods, those that were stable for longest */
  function settle(): string[] {
    const names = [...noisyPods.keys()].slice(0, Math.max(0, noisyPods.size - mostNoisy()))
    for (const name of names) {
      const pod = noisyPods.get(name)
      noisyPods.delete(name)
      if (pod !== undefined) quietPods.set(name, pod)
    }
    return names
  }

  function publish(pods: PodsByName, changed: readonly string[]): Write[] {
    for (const name of changed.toSorted()) put(name, pods.get(name))
    const all = [...changed, ...settle()]
    // Without noisy endpoints nothing is published for them: the other slices suffice.
    const isNoisyConcerned = noisyPods.size > 0 || noisy.endpoints > 0
    return [...quiet.publish(quietPods, all), ...(isNoisyConcerned ? noisy.publish(noisyPods, all) : [])]
  }

  return {
    publish: (pods, changed) =>
      publish(pods, changed ?? [...new Set([...pods.keys(), ...quietPods.keys(), ...noisyPods.keys()])]),
    serve(service) {
      quiet.serve(service)
      noisy.serve(service)
    },
    withdraw: () => [...quiet.withdraw(), ...noisy.withdraw()],
    get endpoints() {
      return quiet.endpoints + noisy.endpoints
    },
    get objects() {
      return quiet.objects + noisy.objects
    },
    get leastObjects() {
      return Math.max(
        Math.min(1, quiet.objects),
        Math.ceil((quiet.endpoints + noisy.endpoints) / maxEndpointsPerSlice),
      )
    },
    slices: () => [...quiet.slices(), ...noisy.slices()],
  }
}
