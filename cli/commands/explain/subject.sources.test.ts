import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ENDPOINT_SLICES } from '../../../shared/kubernetes/index.ts'
import type { RecordingLine } from '../../../shared/recording/index.ts'
import { contentSettings, parseSettings } from '../../../shared/settings/index.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { endpoint, write } from '../../history/lines.fixtures.ts'
import { createStatusRecord } from '../../local/index.ts'
import { outputOf } from '../../program.fixtures.ts'
import { serveStatus } from '../../relay.fixtures.ts'
import { startClusters, unique } from './subject.fixtures.ts'

let clusters: Awaited<ReturnType<typeof startClusters>>
beforeAll(async () => {
  clusters = await startClusters()
})
afterAll(() => clusters?.stop())

async function record(...lines: readonly RecordingLine[]): Promise<string> {
  const folder = temporaryFolder()
  const file = join(folder, 'record.ndjson')
  await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return file
}

describe('with a recording', () => {
  const CAME = write(1, 'web-a - 1', { came: [endpoint(7), endpoint(8, { nodeName: 'node-7' })] })
  const WENT = write(3, 'web-a 1 2', {
    went: [{ endpoint: endpoint(7), cause: 'Deleted' }],
    pods: { 'web-7': '8' },
  })

  it('says when exactly and who took it out, though the cluster has nothing of it any more', async () => {
    const file = await record(CAME, WENT)
    for (const subject of ['pod/web-7', '10.1.2.7']) {
      const { objects, recorded } = await clusters.reportOf(subject, '--from', file)
      expect(objects).toEqual([])
      expect(recorded).toMatchObject([
        { time: '2026-11-22T03:12:01.000Z', service: 'web', event: 'Came', worker: 'host-1' },
        { time: '2026-11-22T03:12:03.000Z', event: 'Left', cause: 'Deleted', pod: 'web-7', slice: 'web-a' },
      ])
    }
    expect(await clusters.wordsOf('pod/web-7', '--from', file)).toContain(
      '2026-11-22T03:12:03.000Z eu-1 shop/web 10.1.2.7 left: pod web-7 was deleted (version 8); slice web-a, written by host-1',
    )
    const ofNode = await clusters.reportOf('node/node-7', '--from', file)
    expect(ofNode.recorded).toMatchObject([{ event: 'Came', pod: 'web-8' }])
  })

  it('says since when exactly an endpoint is as it is', async () => {
    const name = unique('shelf')
    await clusters.addPod(name, ['10.2.8.1'], { labels: { app: name } })
    await clusters.addService(name)
    const targetRef = { kind: 'Pod', namespace: 'shop', name }
    const came = [endpoint(1, { addresses: ['10.2.8.1'], targetRef })]
    const file = await record(CAME, write(5, 'shelf-a - 1', { service: name, came }))
    const { objects } = await clusters.reportOf(`pod/${name}`, '--from', file)
    expect(objects[0]?.services[0]).toMatchObject({
      since: { by: 'Recording', time: '2026-11-22T03:12:05.000Z' },
    })
    expect(await clusters.explain(`pod/${name}`, '--from', await record(CAME))).toContain(
      'nothing: the recording has no event of it',
    )
  })
})

describe('over a cluster set', () => {
  it('dates an import by its own slices, whatever happened to a Service of its name', async () => {
    const labels = {
      'endpointslice.kubernetes.io/managed-by': 'fleet.sliceflow.dev',
      'multicluster.kubernetes.io/service-name': 'web',
      'multicluster.kubernetes.io/source-cluster': 'eu-1',
    }
    await clusters.us.create(ENDPOINT_SLICES, {
      metadata: { namespace: 'shop', name: 'derived-web-1', labels },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.1.0.1'] }],
      ports: [],
    })
    const came = [endpoint(1, { addresses: ['10.1.0.1'] })]
    const file = await record({ ...write(5, 'web-a - 1', { came }), cluster: 'us-1' })
    const { objects } = await clusters.reportOf('10.1.0.1', '--from', file)
    expect(objects[0]?.services.find(({ outcome }) => outcome === 'Imported')).toMatchObject({
      ...{ cluster: 'us-1', service: 'web', since: { by: 'Slice' } },
      slices: [{ name: 'derived-web-1', sourceCluster: 'eu-1' }],
      reasons: [expect.stringContaining('sliceflow explain --fleet shop/web says more')],
    })
  })

  it('says where an endpoint arrives, and that a conflict of its export keeps it out', async () => {
    const { objects } = await clusters.reportOf('10.1.0.1', '--fleet')
    expect(objects[0]?.services[0]?.fleet).toMatchObject({
      clusterSet: 'default',
      arrivals: [
        { cluster: 'eu-1', outcome: 'Pending' },
        { cluster: 'us-1', outcome: 'Pending' },
      ],
    })
    expect(await clusters.reportOf('--fleet', '10.1.0.1')).toMatchObject({ objects })
    expect(await clusters.wordsOf('--fleet', 'prod', '10.1.0.1')).toContain(
      'cluster set prod, in us-1: pending',
    )
  })
})

describe('what cannot be answered', () => {
  it('of a cluster that does not answer is said, and the other one is asked', async () => {
    const name = unique('half')
    await clusters.addPod(name, ['10.2.10.1'], { labels: { app: name } })
    await clusters.addService(name)
    const folder = temporaryFolder()
    const file = join(folder, 'down')
    const cluster = '{name: down, cluster: {server: "https://127.0.0.1:1"}}'
    await writeFile(
      file,
      `{apiVersion: v1, kind: Config, clusters: [${cluster}], users: [{name: u, user: {}}], contexts: [{name: down, context: {cluster: down, user: u}}]}`,
    )
    const both = await clusters.reportOf(`pod/${name}`, '--kubeconfig', file, '--context', 'down')
    expect(both.warnings).toEqual([
      expect.stringMatching(/^cluster down cannot be read, so what it publishes is not known: /),
    ])
    expect(both.objects).toMatchObject([{ services: [{ outcome: 'Published' }] }])
    await expect(
      clusters.explain('pod/none-such', '--kubeconfig', file, '--context', 'down'),
    ).rejects.toThrow(/there is no Pod none-such .*; cluster down cannot be read/)
  })

  it('is asked of the clusters of the run that --relay names', async () => {
    const name = unique('run')
    await clusters.addPod(name, ['10.2.11.1'], { client: clusters.us })
    const settings = contentSettings(parseSettings({ mode: 'replace' }))
    const names = ['us-1', 'not-in-the-kubeconfig']
    const url = await serveStatus(createStatusRecord(names, Date.now, settings).document)
    const args = [...clusters.kubeconfigs, `pod/${name}`, '--relay', url, '-o', 'json']
    expect(JSON.parse(await outputOf('explain', ...args))).toMatchObject({
      clusters: ['us-1'],
      mode: 'replace',
    })
  })

  it.each([
    [
      ['pod/shop/none-such'],
      /^there is no Pod shop\/none-such in clusters eu-1, us-1, and no EndpointSlice that names it: there are shop\/.*; ask other clusters with --context, or a recording of the past with --from FILE$/,
    ],
    [['pod/x', '-n', 'empty'], 'there are no Pods in namespace empty'],
    [['node/nod-1'], /there is node-1; did you mean node-1\? Or ask other clusters with --context/],
    [
      ['203.0.113.9'],
      'no Pod, Node, Service or EndpointSlice of clusters eu-1, us-1 has the address 203.0.113.9',
    ],
    [['pod/a/b/c'], '"pod/a/b/c" is not the name of a Pod: give pod/NAME or pod/NAMESPACE/NAME'],
    [['pod/No_Name'], 'is not the name of a Pod'],
    [['node/'], '"node/" is not the name of a Node: give node/NAME, such as node/worker-1'],
    [['pod/shop/a', '-n', 'home'], '-n home and pod/shop/a name two namespaces'],
    [['shop/web', '--context', 'eu-1', '--from', 'x'], '--from goes with pod/NAME, node/NAME and addresses'],
    [
      ['shop/web', '-A'],
      '-A goes with pod/NAME, node/NAME and addresses: name the Service as NAMESPACE/NAME',
    ],
    [['pod/a', '-A', '-n', 'shop'], 'cannot be used with'],
    [['pod/a', '--fleet-role', 'eu-1=import'], '--fleet-role is about a cluster set: give --fleet as well'],
  ] as const)('is refused: %j', async (args, message) => {
    await expect(clusters.explain(...args)).rejects.toThrow(message)
  })
})
