import { expect } from 'vitest'
import type { EndpointSlice } from '../../../shared/endpointslice/index.ts'
import { CONDITION_UNREACHABLE, type Condition } from '../../../shared/fleet/index.ts'
import { type ClusterConnection, ENDPOINT_SLICES, SERVICES } from '../../../shared/kubernetes/index.ts'
import { type SceneMember, untilImported } from '../../end-to-end/fleet/fleet-scene.ts'
import { until } from '../../end-to-end/scene.ts'
import type { FleetPlay, FleetRow } from './row.ts'

const PORT = { name: 'web', port: 80, protocol: 'TCP', targetPort: 8080 }
const MOVED = { ...PORT, port: 8000 }

const conditionsOf = async (member: SceneMember): Promise<readonly Condition[]> =>
  (await member.imported())?.status?.conditions ?? []

const portsOf = async (member: SceneMember): Promise<unknown> => ({
  import: (await member.imported())?.spec?.ports?.map(({ port }) => port),
  derived: (await member.derived())?.spec?.ports?.map(({ port }) => port),
})

/** Has the two oldest members export, and waits until all have imported both. */
async function exportBoth({ scene, first, second }: FleetPlay): Promise<void> {
  for (const [member, address] of [
    [first, '10.1.0.1'],
    [second, '10.2.0.1'],
  ] as const) {
    await member.addService({ ports: [PORT] }, [address])
    await member.addExport()
    // The older export decides; times have whole seconds.
    await new Promise((resolve) => setTimeout(resolve, 1_100))
  }
  await untilImported(scene.members, ['first/10.1.0.1', 'second/10.2.0.1'])
}

/** Changes the first member while the second cannot be read, and says what the others must have then. */
async function changeOthers({ first, third }: FleetPlay): Promise<void> {
  await first.patchService({ spec: { ports: [MOVED] } })
  await first.publish(['10.1.0.2'])
  const others = [first, third]
  await untilImported(others, ['first/10.1.0.2', 'second/10.2.0.1'])
  for (const member of others) {
    await until(() => portsOf(member)).toEqual({ import: [8000], derived: [8000] })
    await until(() => conditionsOf(member)).toContainEqual(
      expect.objectContaining({
        type: CONDITION_UNREACHABLE,
        status: 'True',
        message: expect.stringMatching(/^second cannot be read since /),
      }),
    )
  }
}

/** Says that the second one follows as well, once it can be read and agrees. */
async function agreeAgain({ scene, second }: FleetPlay): Promise<void> {
  await second.patchService({ spec: { ports: [MOVED] } })
  await second.publish(['10.2.0.2'])
  await untilImported(scene.members, ['first/10.1.0.2', 'second/10.2.0.2'])
  for (const member of scene.members)
    await until(async () => (await conditionsOf(member)).map(({ type }) => type)).toEqual(['Ready'])
}

/** Members that are not who they say, are out of reach, say odd things, or have what is ours edited. */
export const HARDSHIPS: readonly FleetRow[] = [
  {
    id: 'one-cluster-two-names',
    source: 'k3s-io/k3s#14441, sunny0826/kubecm#1047',
    says: 'Two contexts lead to one cluster, as merged kubeconfigs call both clusters alike: it is in the set once, under its first name, and the log has both.',
    async play({ scene, first, second }) {
      let known: ClusterConnection | undefined
      const sliceflow = await scene.start({
        waits: false,
        connect(connection) {
          if (connection.name === 'second') known = connection
          return connection.name === 'third' && known !== undefined ? { ...known, name: 'third' } : connection
        },
      })
      await second.addService({}, ['10.2.0.1'])
      await second.addExport()
      await untilImported([first, second], ['second/10.2.0.1'])
      await until(async () => sliceflow.log).toContainEqual(
        expect.objectContaining({ level: 'error', cluster: 'third', other: 'second' }),
      )
      await second.publish(['10.2.0.2'])
      await untilImported([first, second], ['second/10.2.0.2'])
      expect(sliceflow.letters).toEqual([])
    },
  },
  {
    id: 'others-change-while-one-is-down',
    source: 'review of 2026-11',
    says: 'One of two exporting clusters does not answer, Sliceflow is restarted, and the other moves its port: its endpoints go on with the new port beside the old ones of the silent cluster, and a condition names that one.',
    async play(fleet) {
      const { scene, second } = fleet
      const before = await scene.start()
      await exportBoth(fleet)
      second.setReachable(false)
      await before.stop()
      await scene.start({ waits: false })
      await changeOthers(fleet)
      second.setReachable(true)
      await agreeAgain(fleet)
    },
  },
  {
    id: 'derived-service-edited',
    source: 'review of 2026-11; karmada-io/karmada#4422',
    says: 'Somebody gives a derived Service a selector, makes it an ExternalName, and takes the label of the set off: each is undone, and the import goes on.',
    async play({ scene, first, third }) {
      await scene.start()
      await first.addService({ ports: [PORT] }, ['10.1.0.1'])
      await first.addExport()
      await untilImported(scene.members, ['first/10.1.0.1'])
      const name = (await third.derived())?.metadata?.name ?? ''
      const edits: readonly object[] = [
        { spec: { selector: { app: 'evil' } } },
        { spec: { type: 'ExternalName', externalName: 'evil.example', clusterIP: null, clusterIPs: null } },
        { metadata: { labels: { 'sliceflow.dev/cluster-set': null } } },
        { metadata: { ownerReferences: null } },
      ]
      let address = 1
      for (const edit of edits) {
        await third.client.patch(SERVICES, { namespace: scene.namespace, name }, edit)
        await until(async () => {
          const { metadata, spec } = (await third.derived()) ?? {}
          return {
            ...{ type: spec?.type, selector: spec?.selector ?? {}, externalName: spec?.externalName },
            label: metadata?.labels?.['sliceflow.dev/cluster-set'],
            owners: metadata?.ownerReferences?.map(({ kind }) => kind),
          }
        }).toEqual({ type: 'ClusterIP', selector: {}, label: 'default', owners: ['ServiceImport'] })
        await first.publish([`10.1.0.${++address}`])
        await untilImported(scene.members, [`first/10.1.0.${address}`])
        const [ip] = (await third.derived())?.spec?.clusterIPs ?? []
        await until(async () => (await third.imported())?.spec?.ips?.[0]).toBe(ip)
      }
    },
  },
  {
    id: 'family-not-supported',
    source: 'review of 2026-11; kubernetes-sigs/mcs-api (ServiceImport’s condition IPFamilyNotSupported)',
    says: 'An export has IPv6 only, and one importing cluster has IPv4 only: its import and the export say so until the export has IPv4, too; the others import.',
    async play({ scene, first, second, third }) {
      await scene.start()
      await first.addService({ ports: [PORT], ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv6'] })
      await first.client.create(ENDPOINT_SLICES, slice(scene.namespace, 'IPv6', 'fd00:1::3'))
      await first.addExport()
      await untilImported(scene.members, ['first/fd00:1::3'])
      const missing = 'cluster third assigns IPv4, and the exports have IPv6 only'
      await until(() => conditionsOf(third)).toContainEqual(
        expect.objectContaining({
          type: 'Ready',
          status: 'False',
          reason: 'IPFamilyNotSupported',
          message: missing,
        }),
      )
      await until(() => conditionsOf(second)).toContainEqual(
        expect.objectContaining({ type: 'Ready', status: 'True' }),
      )
      await until(() => first.conditionsInFull()).toContainEqual(
        expect.objectContaining({ type: 'Ready', status: 'False', message: missing }),
      )
      await first.patchService({ spec: { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv6', 'IPv4'] } })
      await first.client.create(ENDPOINT_SLICES, slice(scene.namespace, 'IPv4', '10.1.0.3'))
      await until(() => conditionsOf(third)).toContainEqual(
        expect.objectContaining({ type: 'Ready', status: 'True' }),
      )
    },
  },
]

const slice = (namespace: string, addressType: 'IPv4' | 'IPv6', address: string): EndpointSlice => ({
  metadata: {
    name: `by-hand-${addressType.toLowerCase()}`,
    namespace,
    labels: { 'kubernetes.io/service-name': 'hello' },
  },
  addressType,
  ports: [{ name: 'web', port: 8080, protocol: 'TCP' }],
  endpoints: [{ addresses: [address], conditions: { ready: true } }],
})
