import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Pod, Service } from '../../endpointslice/index.ts'
import { type Change, createClusterIndex } from '../index.ts'

const APPS = ['a', 'b', 'c'] as const
const NAMES = ['one', 'two', 'three'] as const

const selectors = fc.dictionary(fc.constantFrom('app', 'tier'), fc.constantFrom(...APPS), {
  minKeys: 1,
  maxKeys: 2,
})
const name = fc.constantFrom(...NAMES)

type Step =
  | { kind: 'service'; name: string; selector: Record<string, string> | undefined }
  | { kind: 'pod'; name: string; labels: Record<string, string>; ip: string | undefined; ready: boolean }
  | { kind: 'service gone' | 'pod gone'; name: string }

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('service' as const),
      name,
      selector: fc.option(selectors, { nil: undefined }),
    }),
    fc.record({
      kind: fc.constant('pod' as const),
      name,
      labels: fc.dictionary(fc.constantFrom('app', 'tier'), fc.constantFrom(...APPS)),
      ip: fc.option(fc.constantFrom('10.0.0.1', '10.0.0.2'), { nil: undefined }),
      ready: fc.boolean(),
    }),
    fc.record({ kind: fc.constantFrom('service gone' as const, 'pod gone' as const), name }),
  ),
  { maxLength: 40 },
)

/** Computes a Service's endpoints from everything each time: the plainest possible truth. */
function endpointsOf(service: Service | undefined, pods: Iterable<Pod>): string {
  const selector = Object.entries(service?.spec?.selector ?? {})
  if (selector.length === 0) return service === undefined ? 'gone' : 'unmanaged'
  const chosen = [...pods].filter(
    (pod) =>
      pod.status?.podIP !== undefined &&
      selector.every(([key, value]) => pod.metadata?.labels?.[key] === value),
  )
  return JSON.stringify([
    selector.sort(),
    chosen.map(({ metadata, status }) => [metadata?.name, status]).sort(),
  ])
}

it('names every Service whose endpoints a change alters', () => {
  fc.assert(
    fc.property(steps, (history) => {
      const index = createClusterIndex('a', 'replace')
      const services = new Map<string, Service>()
      const pods = new Map<string, Pod>()
      const truth = (): Map<string, string> =>
        new Map(NAMES.map((each) => [each, endpointsOf(services.get(each), pods.values())]))

      for (const step of history) {
        const before = truth()
        const named = new Set(play(step).map(({ service }) => service))
        for (const [service, endpoints] of truth()) {
          const wasManaged = before.get(service)?.startsWith('[') || endpoints.startsWith('[')
          if (endpoints !== before.get(service) && wasManaged) expect(named).toContain(service)
        }
      }

      function play(step: Step): Change[] {
        const metadata = { name: step.name, namespace: 'shop', uid: step.name }
        switch (step.kind) {
          case 'service': {
            const service: Service = { metadata, spec: { selector: step.selector } }
            services.set(step.name, service)
            return index.services.put(service)
          }
          case 'pod': {
            const status = {
              podIP: step.ip,
              conditions: [{ type: 'Ready', status: step.ready ? 'True' : 'False' }],
            }
            const pod: Pod = { metadata: { ...metadata, labels: step.labels }, status }
            pods.set(step.name, pod)
            return index.pods.put(pod)
          }
          case 'service gone':
            services.delete(step.name)
            return index.services.remove({ metadata })
          case 'pod gone':
            pods.delete(step.name)
            return index.pods.remove({ metadata })
        }
      }
    }),
    { numRuns: 500 },
  )
})
