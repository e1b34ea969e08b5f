import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { ENDPOINT_SLICES, NODES, SERVICES } from '../../../shared/kubernetes/index.ts'
import { createFakePods, makeNode, makeService } from '../../../test/support/world/index.ts'
import type { ObjectReport } from '../../explain/index.ts'
import { HEADLESS, startClusters, unique } from './subject.fixtures.ts'

let clusters: Awaited<ReturnType<typeof startClusters>>
beforeAll(async () => {
  clusters = await startClusters()
})
afterAll(() => clusters?.stop())

const servicesOf = ({ services }: ObjectReport): unknown[] =>
  services.map(({ service, outcome }) => [service, outcome])

const reasonsOf = async (...args: readonly string[]): Promise<readonly string[]> =>
  (await clusters.reportOf(...args)).objects.flatMap(({ services }) =>
    services.flatMap(({ reasons }) => reasons),
  )

describe('sliceflow explain pod/NAME', () => {
  it('names the Services and slices that publish it, with conditions and since when', async () => {
    const name = unique('cart')
    await clusters.addPod(`${name}-a`, ['10.2.0.1'], { labels: { app: name } })
    const [slice] = await clusters.addService(name)

    const text = await clusters.wordsOf(`pod/${name}-a`)
    expect(text).toMatch(/^Pod: \S+\nAsked: clusters eu-1, us-1\nMode: replace, managed-by sliceflow.dev\n/)
    expect(text).toMatch(new RegExp(`eu-1 shop/${name}-a node-1 10.2.0.1 Running yes for \\d+s \\d+s`))
    expect(text).toMatch(
      new RegExp(
        `eu-1 shop/${name} published ${slice?.metadata?.name} sliceflow.dev 10.2.0.1 ready, serving at least \\d+s`,
      ),
    )
    expect(text).toContain('at least: the time since the last write of its slice')
    const report = await clusters.reportOf(`po/shop/${name}-a`)
    expect(report).toMatchObject({
      version: 1,
      subject: { kind: 'Pod', name: `${name}-a`, namespace: 'shop' },
      clusters: ['eu-1', 'us-1'],
      objects: [
        {
          ...{ cluster: 'eu-1', exists: true, ready: { status: 'True', since: expect.any(String) } },
          services: [
            {
              outcome: 'Published',
              slices: [{ ready: true }],
              since: { by: 'Slice', time: expect.any(String) },
            },
          ],
        },
      ],
    })
    expect(parse(await clusters.explain(`pod/${name}-a`, '-n', 'shop', '-o', 'yaml'))).toEqual(report)
  })

  it('says in which labels the selectors of its namespace do not match', async () => {
    const name = unique('till')
    await clusters.addPod(name, ['10.2.0.2'], { labels: { app: 'tlil', tier: 'b' } })
    await clusters.addService(name, { selector: { app: name, tier: 'b' } })
    const text = await clusters.wordsOf(`pod/${name}`)
    expect(text).toContain(
      `eu-1 shop/${name} not selected - - - - -\n its selector wants app=${name}, and the Pod has app=tlil\n`,
    )
    await clusters.addPod(`${name}-bare`, ['10.2.0.3'], { labels: {} })
    expect(await reasonsOf(`pod/${name}-bare`)).toContain(
      `its selector wants tier=b, and the Pod has no label tier`,
    )
  })

  it('counts further Services of its namespace where there are many', async () => {
    const name = unique('lone')
    await clusters.addPod(name, ['10.2.0.4'], { namespace: 'home', labels: {} })
    for (const index of [1, 2, 3, 4, 5, 6])
      await clusters.eu.create(
        SERVICES,
        makeService({ namespace: 'home', name: `${name}-${index}`, spec: HEADLESS }),
      )
    expect(await clusters.wordsOf(`pod/${name}`)).toContain(
      'the selectors of 1 further Service of its namespace do not match its labels\n',
    )
  })

  it('says that it is not ready, has no IP, has ended, is being deleted, or has a refused address', async () => {
    const name = unique('desk')
    const labels = { app: name }
    await clusters.addPod(`${name}-unready`, ['10.2.1.1'], { labels, ready: false })
    await clusters.addPod(`${name}-pending`, [], { labels })
    await clusters.addPod(`${name}-leaving`, ['10.2.1.3'], { labels })
    await clusters.addPod(`${name}-refused`, ['10.2.9.4'], { labels })
    await clusters.addService(name)
    await createFakePods(clusters.eu).terminate({ namespace: 'shop', name: `${name}-leaving` })
    const outcomeOf = async (pod: string, ...flags: readonly string[]) => {
      const { objects } = await clusters.reportOf(`pod/${name}-${pod}`, ...flags)
      return objects[0]?.services.map(({ outcome, reasons }) => [outcome, reasons[0]])
    }
    expect(await outcomeOf('unready')).toEqual([['Published', 'its condition Ready is False']])
    expect(await outcomeOf('pending')).toEqual([['LeftOut', 'it has no IP yet: phase Running']])
    expect(await outcomeOf('leaving')).toEqual([
      ['Published', expect.stringMatching(/^it is being deleted, until/)],
    ])
    expect(await clusters.wordsOf(`pod/${name}-leaving`)).toMatch(
      /it is being deleted: since \d+s, until \S+ at the latest/,
    )
    expect(await outcomeOf('refused', '--refused-addresses', '10.2.9.0/24')).toEqual([
      ['Leaving', expect.stringContaining('10.2.9.0/24')],
    ])
    expect(await clusters.wordsOf(`pod/${name}-unready`)).toMatch(/Running no for \d+s/)
  })

  it('says that a Pod is gone which a slice still has, and that a guard holds the plan', async () => {
    const name = unique('lamp')
    await clusters.addPod(`${name}-a`, ['10.2.2.1'], { labels: { app: name } })
    await clusters.addService(name)
    await createFakePods(clusters.eu).finish({ namespace: 'shop', name: `${name}-a` })
    const text = await clusters.wordsOf(`pod/${name}-a`)
    expect(text).toMatch(
      /eu-1 shop\/\S+ - 10.2.2.1 gone - -\n there is no such Pod \(any more\): slices name it/,
    )
    expect(text).toContain(' leaving ')
    expect(text).toContain('leaving: a slice has it, and the next write takes it out')
    const held = await clusters.reportOf(
      `pod/${name}-a`,
      '--maximum-removal',
      '0.1',
      '--maximum-removal-count',
      '0',
    )
    expect(held.objects[0]?.services[0]?.warnings.join()).toContain('held')
    await clusters.addPod(`${name}-a`, ['10.2.2.2'], { labels: { app: name } })
    const { objects } = await clusters.reportOf(`pod/${name}-a`)
    expect(objects).toMatchObject([
      { exists: true, notes: ['a slice still has an earlier Pod of this name: its uid is another one'] },
    ])
  })

  it('names slices of another manager, and says who serves a Service', async () => {
    const name = unique('bell')
    await clusters.addPod(`${name}-a`, ['10.2.3.1'], { labels: { app: name } })
    await clusters.addService(name, { managedBy: 'endpointslice-controller.k8s.io' })
    const custom = await clusters.reportOf(`pod/${name}-a`, '--mode', 'custom')
    expect(custom.objects[0]?.services[0]).toMatchObject({
      outcome: 'Published',
      slices: [{ managedBy: 'endpointslice-controller.k8s.io' }],
      management: { state: 'Unmanaged', reason: expect.stringContaining('the in-tree controller serves it') },
    })
    const replace = await clusters.reportOf(`pod/${name}-a`)
    expect(replace.objects[0]?.services[0]).toMatchObject({
      outcome: 'Pending',
      warnings: expect.arrayContaining([expect.stringContaining('turn the in-tree controller off')]),
    })
  })

  it('sends no control characters to a terminal that a slice or an annotation holds', async () => {
    const name = unique('sly')
    await clusters.addPod(name, ['10.2.12.1'], { labels: { app: name } })
    const [slice] = await clusters.addService(name)
    const { name: of = '' } = slice?.metadata ?? {}
    const endpoints = [{ addresses: ['10.2.12.1'], nodeName: 'node-1', hostname: 'x' }]
    await clusters.eu.patch(ENDPOINT_SLICES, { namespace: 'shop', name: of }, { endpoints })
    const annotations = { 'sliceflow.dev/selector': 'a \u001b[2J\u009b' }
    await clusters.eu.patch(
      SERVICES,
      { namespace: 'shop', name },
      { metadata: { annotations }, spec: { selector: null } },
    )
    const { objects } = await clusters.reportOf('10.2.12.1', '--mode', 'custom')
    expect(JSON.stringify(objects)).toContain('\\u001b')
    expect(await clusters.explain('10.2.12.1', '--mode', 'custom')).not.toMatch(/[^\P{Cc}\n]/u)
  })

  it('answers of all Pods of the name, or those of one namespace', async () => {
    const name = unique('twin')
    await clusters.addPod(name, ['10.2.4.1'])
    await clusters.addPod(name, ['10.2.4.2'], { namespace: 'home' })
    const namespaces = async (...args: readonly string[]) =>
      (await clusters.reportOf(...args)).objects.map(({ namespace }) => namespace)
    expect(await namespaces(`pod/${name}`)).toEqual(['home', 'shop'])
    expect(await namespaces(`pod/${name}`, '-A')).toEqual(['home', 'shop'])
    expect(await namespaces(`pod/${name}`, '-n', 'home')).toEqual(['home'])
    expect(await namespaces(`pod/shop/${name}`)).toEqual(['shop'])
  })

  it('finds the Services of another cluster that take its Pods, by the address alone', async () => {
    const name = unique('far')
    await clusters.addPod(name, ['10.2.5.1'], { client: clusters.us, labels: { app: name } })
    const annotations = { 'sliceflow.dev/selector': `app=${name}`, 'sliceflow.dev/cluster': 'us-1' }
    const input = { namespace: 'shop', name, selector: null, annotations }
    await clusters.eu.create(SERVICES, makeService({ ...input, spec: HEADLESS }))
    const flags = ['--mode', 'custom', '--allowed-pods', 'eu-1/shop=us-1/shop']
    const { objects } = await clusters.reportOf(`pod/${name}`, ...flags)
    expect(objects).toMatchObject([
      { cluster: 'us-1', services: [{ cluster: 'eu-1', service: name, outcome: 'Pending' }] },
    ])
  })
})

describe('sliceflow explain node/NAME', () => {
  it('reports each of its Pods, those on its network among them', async () => {
    const [node, name] = [unique('node'), unique('agent')]
    await clusters.eu.create(NODES, makeNode({ name: node, zone: 'zone-b' }))
    await clusters.addPod(`${name}-a`, ['10.2.6.1'], { labels: { app: name }, nodeName: node })
    await clusters.addPod(`${name}-b`, ['10.0.0.6'], {
      labels: { app: 'x' },
      nodeName: node,
      spec: { hostNetwork: true },
    })
    await clusters.addService(name)
    const text = await clusters.wordsOf(`node/${node}`)
    expect(text).toMatch(/^Node: /)
    expect(text).toMatch(/\nNodes:\n CLUSTER NODE ADDRESSES ZONE READY\n eu-1 \S+ - zone-b /)
    expect(text).toContain(`shop/${name}-a eu-1 shop/${name} published `)
    expect(text).toContain(`shop/${name}-b eu-1 - by none `)
    expect(text).toContain('it is on the network of its Node: its address is that of the Node')
  })

  it('says that the Node is gone, and that slices still have its Pods', async () => {
    const [node, name] = [unique('lost'), unique('pool')]
    await clusters.eu.create(NODES, makeNode({ name: node }))
    await clusters.addPod(name, ['10.2.6.3'], { labels: { app: name }, nodeName: node })
    await clusters.addService(name)
    await createFakePods(clusters.eu).finish({ namespace: 'shop', name })
    await clusters.eu.delete(NODES, { name: node })
    const report = await clusters.reportOf(`node/${node}`)
    expect(report.notes).toEqual([`no cluster that was asked has a Node ${node} (any more)`])
    expect(report.objects).toMatchObject([{ name, exists: false, services: [{ outcome: 'Leaving' }] }])
  })
})

describe('sliceflow explain ADDRESS', () => {
  it('names the Pods that have it, and warns of two that run', async () => {
    const name = unique('pair')
    await clusters.addPod(`${name}-a`, ['10.2.7.1', 'fd00:2::71'], { labels: { app: name } })
    await clusters.addService(name)
    await clusters.addPod(`${name}-b`, ['10.2.7.1'], { labels: { app: 'other' } })
    const report = await clusters.reportOf('10.2.7.1')
    expect(report.warnings).toEqual([
      `2 running Pods of cluster eu-1 say that 10.2.7.1 is theirs: shop/${name}-a, shop/${name}-b`,
    ])
    expect(report.objects.map(servicesOf)).toEqual([[[name, 'Published']], expect.anything()])
    const long = await clusters.reportOf('FD00:2:0:0:0:0:0:71')
    expect(long).toMatchObject({ subject: { name: 'fd00:2::71' }, objects: [{ name: `${name}-a` }] })
    expect((await clusters.reportOf('[fd00:2::71]')).objects).toHaveLength(1)
  })

  it('reports an address that no Pod has, a Node, and a Service', async () => {
    const text = await clusters.wordsOf('10.1.0.1')
    expect(text).toContain('no Pod of the clusters that were asked has this address')
    expect(text).toContain('eu-1 shop/web not by us web-1 (no manager) 10.1.0.1 ready, serving')
    expect(await clusters.wordsOf('10.0.0.1')).toContain(
      'Note: it is an address of Node node-1 of cluster eu-1\n',
    )
    const { spec } = await clusters.eu.get(SERVICES, { namespace: 'shop', name: 'web' })
    expect(await clusters.wordsOf(spec?.clusterIP ?? '')).toContain(
      'it is the clusterIP of Service shop/web of cluster eu-1: sliceflow explain --context eu-1 shop/web',
    )
  })

  it('reports one that an annotation gives', async () => {
    const name = unique('given')
    const annotations = { 'sliceflow.dev/addresses': '10.9.0.7' }
    const input = { namespace: 'shop', name, selector: null, annotations, ports: [{ port: 80 }] }
    await clusters.eu.create(SERVICES, makeService({ ...input, spec: HEADLESS }))
    const flags = ['--mode', 'custom', '--allowed-addresses', '*/shop=10.9.0.0/16']
    const { objects } = await clusters.reportOf('10.9.0.7', ...flags)
    expect(objects).toMatchObject([{ kind: 'Address', services: [{ service: name, outcome: 'Pending' }] }])
  })
})
