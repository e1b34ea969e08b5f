import { expect, it } from 'vitest'
import { parse } from 'yaml'
import type { Json } from '../../support/raw-client.ts'
import { renderChart, renderRelease } from './render.ts'

it('takes what charts of controllers usually take', async () => {
  const commonLabels = { team: 'edge', 'app.kubernetes.io/name': 'other' }
  const relabelings = [{ action: 'labeldrop', regex: 'pod' }]
  const objects = await renderChart({
    commonLabels,
    global: { imagePullSecrets: [{ name: 'a' }, { name: 'b' }] },
    imagePullSecrets: [{ name: 'a' }],
    deploymentAnnotations: { 'reloader.stakater.com/auto': 'true' },
    revisionHistoryLimit: 2,
    podSecurityContext: { runAsUser: null, runAsGroup: null, fsGroup: null },
    serviceAccount: { labels: { 'azure.workload.identity/use': 'true' } },
    dnsPolicy: 'None',
    dnsConfig: { nameservers: ['10.0.0.2'] },
    hostAliases: [{ ip: '10.0.0.3', hostnames: ['eu-1.example.org'] }],
    serviceMonitor: { enabled: true, scrapeTimeout: '5s', annotations: { a: 'b' }, relabelings },
    networkPolicy: { metricsFrom: [{ podSelector: {} }] },
  })
  for (const [kind, { metadata }] of objects)
    expect([kind, metadata.labels]).toMatchObject([
      kind,
      { team: 'edge', 'app.kubernetes.io/name': 'sliceflow' },
    ])
  const { metadata, spec } = objects.get('Deployment')
  expect(metadata.annotations).toEqual({ 'reloader.stakater.com/auto': 'true' })
  expect(spec.selector.matchLabels.team).toBeUndefined()
  expect([spec.revisionHistoryLimit, spec.template.metadata.labels.team]).toEqual([2, 'edge'])
  expect(spec.template.spec).toMatchObject({
    imagePullSecrets: [{ name: 'a' }, { name: 'b' }],
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    dnsPolicy: 'None',
    dnsConfig: { nameservers: ['10.0.0.2'] },
    hostAliases: [{ ip: '10.0.0.3', hostnames: ['eu-1.example.org'] }],
  })
  expect(Object.keys(spec.template.spec.securityContext)).not.toContain('runAsUser')
  expect(objects.get('ServiceAccount').metadata.labels).toMatchObject({
    'azure.workload.identity/use': 'true',
  })
  const monitor = objects.get('ServiceMonitor')
  expect(monitor.metadata.annotations).toEqual({ a: 'b' })
  expect(monitor.spec.endpoints).toEqual([
    { port: 'metrics', path: '/metrics', interval: '30s', scrapeTimeout: '5s', relabelings },
  ])
})

it('lets the pod reach a queue at the port of its protocol', async () => {
  const portsOf = async (url: string): Promise<number[]> => {
    const objects = await renderChart({ queue: { url } })
    return objects.get('NetworkPolicy').spec.egress[1].ports.map(({ port }: Json) => port)
  }
  expect(await portsOf('http://elasticmq.queues/0/live')).toEqual([443, 6443, 80])
  expect(await portsOf('https://sqs.eu-1.example.org/0/live')).toEqual([443, 6443])
})

it('takes names that look like numbers', async () => {
  const objects = await renderChart({
    hub: { name: '1e3' },
    kubeconfig: { secret: '123', contexts: ['eu-1'] },
    volume: { claim: '456' },
    queue: { url: 'https://sqs.eu-1.example.org/0/live', credentials: '789' },
  })
  expect(parse(objects.get('ConfigMap').data.config).contexts[0].name).toBe('1e3')
  expect(objects.get('Deployment').spec.template.spec.containers[0].envFrom).toEqual([
    { secretRef: { name: '789' } },
  ])
  const [, { secret }, { persistentVolumeClaim }] = objects.get('Deployment').spec.template.spec.volumes
  expect([secret.secretName, persistentVolumeClaim.claimName]).toEqual(['123', '456'])
})

it('has no name twice in a cluster, in several releases of one namespace or of one name', async () => {
  const places = [
    ['sliceflow', 'sliceflow'],
    ['sliceflow', 'edge'],
    ['edge', 'sliceflow'],
    ['edge', 'edge'],
  ] as const
  const names = await Promise.all(
    places.map(async ([release, namespace]) => {
      const objects = [...(await renderRelease(release, namespace))]
      return objects.map(([kind, { metadata }]) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`)
    }),
  )
  expect(new Set(names.flat()).size).toBe(names.flat().length)
})
