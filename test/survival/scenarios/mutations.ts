import { LABEL_HEADLESS } from '../../../shared/endpointslice/index.ts'
import { ENDPOINT_SLICES } from '../../../shared/kubernetes/index.ts'
import { policyKind } from '../policies.ts'
import type { Scenario } from '../scenario.ts'
import { openWeb, seconds, type World } from '../world.ts'

const POLICIES = policyKind('mutatingadmissionpolicies', 'MutatingAdmissionPolicy')
const BINDINGS = policyKind('mutatingadmissionpolicybindings', 'MutatingAdmissionPolicyBinding')

const LABEL = 'mesh.example.org/on'
const CHANGES = 8

/**
 * Has the API server put a label on each slice of the namespace that is written, as a mutating webhook
 * would. It does so once this returns.
 */
async function labelEverything(world: World): Promise<void> {
  const { client, namespace } = world
  const metadata = { name: namespace }
  const slices = { apiGroups: ['discovery.k8s.io'], apiVersions: ['v1'], resources: ['endpointslices'] }
  const path = `/metadata/labels/${LABEL.replace('/', '~1')}`
  await client.create(POLICIES, {
    metadata,
    spec: {
      matchConstraints: { resourceRules: [{ ...slices, operations: ['CREATE', 'UPDATE'] }] },
      reinvocationPolicy: 'Never',
      mutations: [
        {
          patchType: 'JSONPatch',
          jsonPatch: { expression: `[JSONPatch{op: "add", path: "${path}", value: "yes"}]` },
        },
      ],
    },
  })
  await client.create(BINDINGS, {
    metadata,
    spec: {
      policyName: namespace,
      matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } },
    },
  })
  // The server learns of policies by a watch of its own, and only then is every slice written anew.
  await world.until(async () => {
    for (const { metadata: { name = '' } = {} } of await world.slices('web'))
      await world.editSlice(name, {
        metadata: { annotations: { 'example.org/note': String(Math.random()) } },
      })
    const written = await client.list(ENDPOINT_SLICES, { namespace, labelSelector: LABEL })
    return written.items.length > 0 ? [] : ['the policy is not in force']
  })
}

export const mutations: readonly Scenario[] = [
  {
    id: 'labelled-by-webhook',
    source: 'review of 2026-11',
    sentence: `A webhook puts a label on every slice that is written, and the pods of a Service change ${CHANGES} times: each change is published.`,
    prepare: openWeb(),
    act: labelEverything,
    async assess(world) {
      const { client, namespace, pods, until } = world
      const waits: number[] = []
      let isPublished = true
      for (let change = 0; change < CHANGES && isPublished; change++) {
        const ready = change % 2 === 1
        await pods.setReady({ namespace, name: 'web-1' }, ready)
        const wait = await until(async () => {
          const endpoints = (await world.slices('web')).flatMap((slice) => slice.endpoints ?? [])
          const first = endpoints.filter(({ targetRef }) => targetRef?.name === 'web-1')
          return first.length === 1 && first[0]?.conditions?.ready === ready ? [] : ['not published']
        })
        waits.push(wait.seconds)
        isPublished = wait.isMet
        // What undoes the label has gone round by then.
        await world.rest()
      }
      await client.delete(BINDINGS, { name: namespace })
      await client.delete(POLICIES, { name: namespace })
      const slowest = seconds(Math.max(...waits))
      return isPublished
        ? { survived: true, observed: `${CHANGES} changes, the slowest seen after ${slowest}` }
        : { survived: false, observed: `change ${waits.length} is not published after ${slowest}` }
    },
  },
  {
    id: 'hidden-by-label',
    source: 'review of 2026-11',
    sentence:
      'Somebody puts the label of headless Services on the slice of a Service, so that kube-proxy ignores it: it is taken off.',
    prepare: openWeb(),
    async act(world) {
      for (const { metadata: { name = '' } = {} } of await world.slices('web'))
        await world.editSlice(name, { metadata: { labels: { [LABEL_HEADLESS]: '' } } })
    },
    assess: (world) => world.rightInTheEnd(),
  },
]
