import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Change, createClusterIndex } from '../../changes/index.ts'
import type { Pod, Service } from '../../endpointslice/index.ts'
import { createPodAnswers } from './pod-answers.ts'
import { type PodState, podInState } from './pod-state.ts'

const NAMES = ['a', 'b']

const service = (selected: string): Service => ({
  metadata: { name: 'web', namespace: 'shop', uid: 'u', labels: { selected } },
  spec: { selector: { app: selected }, ipFamilies: ['IPv4'], ports: [{ port: 80 }] },
})

const pod = (name: string, app: string): Pod => ({
  metadata: { name, namespace: 'shop', uid: name, labels: { app } },
  spec: { nodeName: 'node', containers: [] },
  status: { podIPs: [{ ip: '10.0.0.1' }] },
})

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      pod: fc.constantFrom(...NAMES),
      isReady: fc.boolean(),
      isTerminating: fc.boolean(),
      relabelled: fc.boolean().map((is) => is && 'db'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ selected: fc.constantFrom('web', 'db') }) },
  { weight: 1, arbitrary: fc.record({ gone: fc.constantFrom(...NAMES) }) },
)

const withoutVersions = (changes: readonly Change[]): Change[] =>
  changes.map(({ resourceVersion: _, ...change }) => change)

/** Creates two indexes of the same cluster, one of them behind the cache. */
function setUp() {
  const [asked, plain] = [createClusterIndex('c', 'replace'), createClusterIndex('c', 'replace')]
  const answers = createPodAnswers(asked.pods)
  const pods = new Map(NAMES.map((name) => [name, pod(name, 'web')]))

  function serve(selected: string): void {
    answers.renew()
    for (const { services } of [asked, plain]) services.put(service(selected))
  }
  function remove(name: string): void {
    const gone = pods.get(name) ?? {}
    expect(answers.remove(gone)).toEqual(withoutVersions(plain.pods.remove(gone)))
  }
  function put(name: string, state: PodState, label: string | false): void {
    const next = podInState(label === false ? (pods.get(name) ?? {}) : pod(name, label), state)
    pods.set(name, next)
    expect(answers.put(next)).toEqual(withoutVersions(plain.pods.put(next)))
  }
  return { serve, remove, put }
}

describe('a cached index of Pods', () => {
  it('returns what the index returns, for any changes of Pods and their Service', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 10, maxLength: 40 }), (steps) => {
        const { serve, remove, put } = setUp()
        serve('web')
        for (const [version, one] of steps.entries()) {
          if ('selected' in one) serve(one.selected)
          else if ('gone' in one) remove(one.gone)
          else put(one.pod, { version, ...one }, one.relabelled)
        }
      }),
      { numRuns: 300 },
    )
  })
})
