import { expect, it } from 'vitest'
import { renderChart } from './render.ts'

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
