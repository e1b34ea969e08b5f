import { LABEL_SERVICE_NAME } from '../../../shared/endpointslice/index.ts'
import { ENDPOINT_SLICES } from '../../../shared/kubernetes/index.ts'
import { numbered } from '../../support/test-namespace.ts'
import { makeSlice } from '../../support/world/index.ts'
import { policyKind } from '../policies.ts'
import type { Scenario } from '../scenario.ts'
import { openWeb, seconds, type World } from '../world.ts'

const POLICIES = policyKind('validatingadmissionpolicies', 'ValidatingAdmissionPolicy')
const BINDINGS = policyKind('validatingadmissionpolicybindings', 'ValidatingAdmissionPolicyBinding')

/**
 * Has the API server refuse these writes of the Service's slices, as a policy of a platform team would. It
 * does so once this returns.
 */
async function refuse(world: World, service: string, operations: readonly string[]): Promise<void> {
  const { client, namespace } = world
  const metadata = { name: namespace }
  await client.create(POLICIES, {
    metadata,
    spec: {
      matchConstraints: {
        resourceRules: [
          { apiGroups: ['discovery.k8s.io'], apiVersions: ['v1'], operations, resources: ['endpointslices'] },
        ],
      },
      validations: [{ expression: 'false', message: 'not in this namespace' }],
    },
  })
  await client.create(BINDINGS, {
    metadata,
    spec: {
      policyName: namespace,
      validationActions: ['Deny'],
      matchResources: {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        objectSelector: { matchLabels: { [LABEL_SERVICE_NAME]: service } },
      },
    },
  })
  // The server learns of policies by a watch of its own.
  const isRefused = async (): Promise<readonly string[]> => {
    try {
      await client.create(ENDPOINT_SLICES, makeSlice({ namespace, name: 'trial', service }))
      await client.delete(ENDPOINT_SLICES, { namespace, name: 'trial' })
      return ['the policy is not in force']
    } catch {
      return []
    }
  }
  await world.until(isRefused)
}

async function allow({ client, namespace }: World): Promise<void> {
  await client.delete(BINDINGS, { name: namespace })
  await client.delete(POLICIES, { name: namespace })
}

export const refusals: readonly Scenario[] = [
  {
    id: 'create-refused',
    source: 'F8',
    sentence:
      'A Service needs a further slice, which the server refuses, and a pod in a slice that exists becomes unready: that is published.',
    prepare: openWeb(2),
    async act(world) {
      await refuse(world, 'web', ['CREATE'])
      await world.addPods(['web-3'], { ports: { http: 9999 } })
      await world.pods.setReady({ namespace: world.namespace, name: 'web-1' }, false)
    },
    async assess(world) {
      const wait = await world.until(async () => {
        const endpoints = (await world.slices('web')).flatMap((slice) => slice.endpoints ?? [])
        const first = endpoints.find(({ targetRef }) => targetRef?.name === 'web-1')
        return first?.conditions?.ready === false ? [] : ['web-1 is published as ready']
      })
      await allow(world)
      const after = seconds(wait.seconds)
      return wait.isMet
        ? { survived: true, observed: `published after ${after}` }
        : { survived: false, observed: `the unready pod is still published as ready after ${after}` }
    },
  },
  {
    id: 'refused-service',
    source: 'cilium/cilium#45396, kubernetes/kubernetes#107927',
    sentence:
      'The server refuses every slice of one Service: the other Services are served as promptly as ever.',
    async prepare(world) {
      await world.addPods(numbered('web', 3))
      await world.addService('good', { selector: { app: 'web' } })
      await world.mustBeRight()
      await refuse(world, 'bad', ['CREATE', 'UPDATE'])
    },
    async act(world) {
      await world.addService('bad', { selector: { app: 'web' } })
    },
    async assess(world) {
      const { namespace, pods } = world
      const waits: number[] = []
      for (let flip = 0; flip < 5; flip++) {
        await pods.setReady({ namespace, name: 'web-1' }, flip % 2 === 1)
        const wait = await world.until(async () =>
          (await world.differences()).filter((line) => line.includes('/good:')),
        )
        if (!wait.isMet) return { survived: false, observed: `held up: ${wait.problems[0]}` }
        waits.push(wait.seconds)
      }
      await allow(world)
      return { survived: true, observed: `5 changes, the slowest seen after ${seconds(Math.max(...waits))}` }
    },
  },
]
