import { describe, expect, it } from 'vitest'
import { describeSettings, variableOf } from '../../../shared/settings/index.ts'
import {
  FLEET_ROLES,
  type Permission,
  type PolicyRule,
  PROJECTION_ROLE_FILES,
  permissionsOf,
  readRoles,
} from '../../end-to-end/cluster-role.ts'
import type { Json } from '../../support/raw-client.ts'
import {
  helm,
  IMAGE,
  renderBase,
  renderChart,
  renderPackaged,
  renderUmbrella,
  type Values,
} from './render.ts'

/** Labels that only Helm puts on its objects. */
const OF_HELM = ['helm.sh/chart', 'app.kubernetes.io/managed-by', 'app.kubernetes.io/version']

/** Returns what the objects mean: without Helm's labels, and the namespace, which Helm makes by a flag. */
function comparable(objects: ReadonlyMap<string, Json>): Json[] {
  const kept = [...objects].filter(([kind]) => kind !== 'Namespace')
  for (const [, { metadata }] of kept) for (const label of OF_HELM) delete metadata.labels?.[label]
  return kept.map(([, object]) => object).toSorted((a, b) => a.kind.localeCompare(b.kind))
}

const containerOf = (objects: ReadonlyMap<string, Json>): Json =>
  objects.get('Deployment').spec.template.spec.containers[0]

const rulesOf = async (files?: string | readonly string[]): Promise<readonly PolicyRule[]> => {
  const { roles } = await readRoles(files)
  return roles // `run` publishes no views.
    .filter(({ metadata }) => metadata.name !== 'sliceflow-view-publisher')
    .flatMap(({ rules }) => rules)
}

/** Lists what the rules allow, however they are put together. */
const allowedBy = (rules: readonly PolicyRule[]): ReadonlySet<string> =>
  new Set(
    permissionsOf({ rules }).map(({ group, resource, verb }: Permission) => `${verb} ${resource}.${group}`),
  )

const PROMETHEUS = [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }]
const PROJECTING = { endpointSelectors: true, serviceProjection: true }
const kubeconfig = { secret: 'clusters', contexts: ['eu-1'] }
const CLUSTERS = { secret: 'sliceflow-clusters', contexts: ['eu-1'] }
const addContext = {
  target: { kind: 'Deployment' },
  patch: '- { op: add, path: /spec/template/spec/containers/0/args/-, value: --context=eu-1 }',
}

describe('the chart and the Kustomize base', () => {
  it.each<[string, Values, Readonly<Record<string, unknown>>]>([
    ['nothing but the image', {}, {}],
    ['shadow', { settings: { shadow: true } }, { components: ['shadow'] }],
    ['EndpointSelectors', { settings: { endpointSelectors: true } }, { components: ['endpoint-selectors'] }],
    ['projections', { settings: PROJECTING }, { components: ['endpoint-selectors', 'service-projection'] }],
    ['Endpoints to mirror', { settings: { mirrorEndpoints: true } }, { components: ['mirroring'] }],
    ['further clusters', { kubeconfig: CLUSTERS }, { components: ['clusters'], patches: [addContext] }],
    [
      'a cluster set',
      { kubeconfig: CLUSTERS, fleet: { enabled: true } },
      {
        components: ['clusters', 'fleet'],
        patches: [{ ...addContext, patch: addContext.patch.replace('args/-', 'args/7') }],
      },
    ],
    [
      'a service monitor',
      { serviceMonitor: { enabled: true }, networkPolicy: { metricsFrom: PROMETHEUS } },
      { components: ['service-monitor'] },
    ],
  ])('agree, given %s', async (_, values, kustomization) => {
    expect(comparable(await renderBase(kustomization))).toEqual(comparable(await renderChart(values)))
  })

  it('give the rules of infra/rbac, and none more, to the ServiceAccount alone', async () => {
    const rendered = await renderChart()
    expect(rendered.get('ClusterRole').rules).toEqual(await rulesOf())
    expect(rendered.get('ClusterRoleBinding').subjects).toEqual([
      { kind: 'ServiceAccount', name: 'sliceflow', namespace: 'sliceflow' },
    ])
    const shadow = await renderChart({ settings: { shadow: true } })
    expect(shadow.get('ClusterRole').rules).toEqual(await rulesOf('read-only.yaml'))
  })

  it.each<[string, readonly string[], Values]>([
    ['a cluster set', ['cluster-role.yaml', ...FLEET_ROLES], {}],
    [
      'a cluster set that is compared only',
      ['read-only.yaml', 'fleet-read-only.yaml'],
      { settings: { shadow: true } },
    ],
  ])('allow for %s what infra/rbac does, and no more', async (_, files, values) => {
    const rendered = await renderChart({ kubeconfig, fleet: { enabled: true }, ...values })
    expect(allowedBy(rendered.get('ClusterRole').rules)).toEqual(allowedBy(await rulesOf(files)))
  })
})

describe('the chart', () => {
  it.each<[readonly string[], Readonly<Record<string, unknown>>]>([
    [['cluster-role.yaml', 'mirroring.yaml'], { mirrorEndpoints: true }],
    [['read-only.yaml', 'mirroring-read-only.yaml'], { mirrorEndpoints: true, shadow: true }],
    [['cluster-role.yaml', 'endpoint-selectors.yaml'], { endpointSelectors: true }],
    [PROJECTION_ROLE_FILES, PROJECTING],
    [['read-only.yaml', 'endpoint-selectors-read-only.yaml'], { endpointSelectors: true, shadow: true }],
  ])('allows what %j do with the settings %j, and no more', async (files, settings) => {
    const rendered = await renderChart({ settings })
    expect(allowedBy(rendered.get('ClusterRole').rules)).toEqual(allowedBy(await rulesOf(files)))
  })

  it('checks the clusters in an init container where that is wanted, as the container has them', async () => {
    const rendered = await renderChart({
      ...{ kubeconfig, preflight: { enabled: true }, fleet: { enabled: true } },
      settings: { shadow: true },
    })
    const { initContainers, containers } = rendered.get('Deployment').spec.template.spec
    const [{ name, args, env, image, volumeMounts }] = initContainers
    const clusters = ['hub', 'clusters'].map((each) => `--kubeconfig=/etc/sliceflow/${each}/config`)
    expect({ name, args }).toEqual({
      name: 'preflight',
      args: [
        'preflight',
        '--ignore-warnings',
        '--fail-on=all',
        clusters[0],
        '--context=hub',
        clusters[1],
        '--context=eu-1',
        '--fleet',
      ],
    })
    expect({ env, image, volumeMounts }).toEqual({
      env: containers[0].env,
      image: containers[0].image,
      volumeMounts: containers[0].volumeMounts,
    })
    expect((await renderChart()).get('Deployment').spec.template.spec.initContainers).toBeUndefined()
  })

  it('brings the policies of infra/rbac/admission.yaml only where that is wanted', async () => {
    const names = async (values: Readonly<Record<string, unknown>>): Promise<string[]> =>
      [...(await renderChart(values)).keys()].filter((kind) => kind.startsWith('ValidatingAdmission')).sort()
    expect(await names({})).toEqual([])
    expect(await names({ admission: { enabled: true } })).toEqual([
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionPolicyBinding',
    ])
  })

  it('has no problem that Helm knows', async () => {
    await expect(helm('lint', IMAGE)).resolves.toContain('0 chart(s) failed')
  })

  it.each([
    ['a digest, as Flux appends it', ['--version', '0.1.0+4fda46fd8c4e']],
    ['build metadata of the program', ['--app-version', '0.1.0+build.7']],
    ['more than a label may have', ['--version', `0.1.0+${'a'.repeat(50)}.-.b`]],
  ])('has labels and a tag that the API takes with %s', async (_, versions) => {
    const objects = [...(await renderPackaged(versions)).values()]
    for (const { metadata } of objects)
      for (const value of Object.values<string>(metadata.labels ?? {}))
        expect(value).toMatch(/^(?=.{1,63}$)[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/)
    const [deployment] = objects.filter(({ kind }) => kind === 'Deployment')
    expect(deployment.metadata.labels['helm.sh/chart']).toMatch(/^sliceflow-0\.1\.0/)
    const [container] = deployment.spec.template.spec.containers
    expect(container.image).toMatch(/^sliceflow:[\w][\w.-]{0,127}$/)
  })

  it('hands every setting to the program, as it is written', async () => {
    const settings = Object.fromEntries(
      describeSettings().map(({ name, default: value }) => [
        name,
        value === '' ? '/var/lib/sliceflow/a' : value,
      ]),
    )
    const written = {
      ...settings,
      maximumEndpoints: 1_000_000,
      maximumRemoval: 0.25,
      allowedPods: '*/a=./"b"',
    }
    const objects = await renderChart({
      settings: written,
      queue: { url: 'https://sqs.eu-west-1.amazonaws.com/123456789012/live' },
      volume: { claim: 'state' },
    })
    const expected = Object.entries(written).map(([name, value]) => ({
      name: variableOf(name),
      value: String(value),
    }))
    const { env } = containerOf(objects)
    expect(env).toEqual(expect.arrayContaining(expected))
    expect(env).toHaveLength(expected.length)
  })

  it.each([
    [true, 'on'],
    ['on', 'on'],
    [0.1, '0.1'],
    [false, 'off'],
  ])('takes %j for a recording that is %s', async (recording, expected) => {
    const record = { volume: { claim: 'state' }, record: '/var/lib/sliceflow/slices.ndjson' }
    const objects = await renderChart({ settings: { recording }, ...record })
    expect(containerOf(objects).env).toContainEqual({ name: 'SLICEFLOW_RECORDING', value: expected })
  })

  it('hands over what has flags only', async () => {
    const objects = await renderChart({
      queue: { url: 'http://elasticmq.queues:9324/0/live', sweepUrl: 'http://elasticmq.queues:9325/0/sweep' },
      volume: { claim: 'state' },
      record: '/var/lib/sliceflow/slices.ndjson',
      logFormat: 'text',
      metrics: { address: '::', port: 9999 },
      hub: { name: 'home' },
      settings: { traces: 'http://collector.traces:4318' },
    })
    expect(containerOf(objects).args).toEqual([
      'run',
      '--log-format=text',
      '--metrics-port=9999',
      '--metrics-address=::',
      '--kubeconfig=/etc/sliceflow/hub/config',
      '--context=home',
      '--queue=http://elasticmq.queues:9324/0/live',
      '--sweep-queue=http://elasticmq.queues:9325/0/sweep',
      '--record=/var/lib/sliceflow/slices.ndjson',
    ])
    const [, { ports }] = objects.get('NetworkPolicy').spec.egress
    expect(ports.map(({ port }: Json) => port)).toEqual([443, 6443, 9324, 9325, 4318])
  })

  it('adds variables of the user’s own to those of the settings, before them', async () => {
    const proxy = { name: 'HTTPS_PROXY', value: 'http://proxy.corp.example:3128' }
    const secret = { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'mine', key: 'token' } } }
    const settings = { mode: 'replace' }
    expect(containerOf(await renderChart({ extraEnv: [proxy, secret], settings })).env).toEqual([
      proxy,
      secret,
      { name: 'SLICEFLOW_MODE', value: 'replace' },
    ])
    expect(containerOf(await renderChart({ extraEnv: [proxy] })).env).toEqual([proxy])
    expect(containerOf(await renderChart({})).env).toEqual([])
    await expect(renderChart({ extraEnv: [{ value: 'x' }] })).rejects.toThrow(/extraEnv/)
  })

  it('takes volumes, mounts and constraints of the user’s own beside those of the chart', async () => {
    const volume = { name: 'authorities', configMap: { name: 'authorities' } }
    const mount = { name: 'authorities', mountPath: '/etc/ssl/corp', readOnly: true }
    const constraint = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' }
    const objects = await renderChart({
      extraVolumes: [volume],
      extraVolumeMounts: [mount],
      topologySpreadConstraints: [constraint],
    })
    const { spec } = objects.get('Deployment').spec.template
    expect(spec.volumes.map(({ name }: Json) => name)).toEqual(['hub', 'authorities'])
    expect(spec.volumes).toContainEqual(volume)
    expect(containerOf(objects).volumeMounts).toContainEqual(mount)
    expect(spec.topologySpreadConstraints).toEqual([constraint])
  })

  it.each([
    [{ nameOverride: 'slices' }, 'sliceflow-slices', 'slices'],
    [{ fullnameOverride: 'mine' }, 'mine', 'sliceflow'],
    [{ nameOverride: 'slices', fullnameOverride: 'mine' }, 'mine', 'slices'],
  ])('is called as %j says, its rights included', async (values, name, label) => {
    const objects = await renderChart(values)
    for (const kind of ['Deployment', 'ServiceAccount', 'Service', 'NetworkPolicy'])
      expect([kind, objects.get(kind).metadata.name]).toEqual([kind, name])
    expect(objects.get('ClusterRoleBinding').subjects[0].name).toBe(name)
    expect(objects.get('Deployment').spec.selector.matchLabels['app.kubernetes.io/name']).toBe(label)
  })

  it.each<[Values, string, string, readonly string[]]>([
    [{}, 'sliceflow', 'RelayDown', ['StandbyDown']],
    [{ fullnameOverride: 'mine' }, 'mine', 'RelayDown', ['StandbyDown']],
    [{ prometheusRule: { enabled: true, job: 'slices' } }, 'slices', 'RelayDown', ['StandbyDown']],
    [{ settings: { relayStandby: true } }, 'sliceflow', 'StandbyDown', ['RelayDown']],
  ])('given %j, has alerts of the job %s', async (values, job, down, without) => {
    const objects = await renderChart({ prometheusRule: { enabled: true }, ...values })
    const rules: Json[] = objects.get('PrometheusRule').spec.groups.flatMap(({ rules }: Json) => rules)
    const [alert] = rules.filter(({ alert }) => alert === `Sliceflow${down}`)
    expect(alert.expr).toBe(`(1 - up{job="${job}"} or absent(up{job="${job}"})) >= 1`)
    const names = rules.map(({ alert }) => alert)
    for (const other of without) expect(names).not.toContain(`Sliceflow${other}`)
  })

  it.each(['maximumRemoval', 'coalescingWindow'])('takes a fraction from --set for %s', async (name) => {
    const objects = await renderChart({ settings: { [name]: '0.5' } })
    expect(containerOf(objects).env).toEqual([{ name: variableOf(name), value: '0.5' }])
  })

  it('can be switched off in a chart of charts, by a condition', async () => {
    const values = { ...IMAGE, settings: { shadow: true } }
    const kinds = [
      { enabled: true, ...values },
      { enabled: false, ...values },
    ].map(renderUmbrella)
    const [on, off] = await Promise.all(kinds)
    expect([on?.has('Deployment'), off?.has('Deployment')]).toEqual([true, false])
  })

  it('gives the pod no token, and nobody a right, where the hub is not one of the clusters', async () => {
    const objects = await renderChart({
      hub: { managed: false },
      kubeconfig: { secret: 'clusters', contexts: ['eu-1'] },
    })
    expect(objects.get('Deployment').spec.template.spec.automountServiceAccountToken).toBe(false)
    for (const kind of ['ClusterRole', 'ClusterRoleBinding', 'ConfigMap'])
      expect(objects.has(kind)).toBe(false)
    expect(containerOf(objects).args.slice(-2)).toEqual([
      '--kubeconfig=/etc/sliceflow/clusters/config',
      '--context=eu-1',
    ])
  })

  it.each<[Values, string]>([
    [{ image: {} }, 'image.repository: name where your image is'],
    [{ hub: { managed: false } }, 'no cluster is named: set hub.managed to true'],
    [{ kubeconfig: { secret: 'clusters' } }, 'kubeconfig.contexts: name the contexts to follow'],
    [{ kubeconfig: { contexts: ['eu-1'] } }, 'kubeconfig.secret: name the Secret'],
    [{ kubeconfig: { secret: 'a', contexts: ['hub'] } }, 'choose another hub.name'],
    [{ fleet: { enabled: true } }, 'fleet.enabled: Services over several clusters need two of them'],
    [{ queue: { sweepUrl: 'http://queue/sweep' } }, 'queue.sweepUrl: needs queue.url'],
    [{ settings: { stateDir: '/var/lib/sliceflow/a' } }, 'settings.stateDir: needs queue.url'],
    [{ record: '/tmp/slices.ndjson' }, 'record: name a path below /var/lib/sliceflow/'],
    [{ settings: { recording: 'on' } }, 'record: name the file to record to'],
    [{ metrics: { address: '127.0.0.1' } }, 'metrics.address: the kubelet asks for it, too'],
    [{ serviceMonitor: { enabled: true } }, 'networkPolicy.metricsFrom: say where Prometheus is'],
    [{ settings: { batchSize: 100_000 } }, "at '/settings/batchSize': maximum: got 100,000, want 10,000"],
    [{ settings: { mods: 'replace' } }, "at '/settings': additional properties 'mods' not allowed"],
    [{ settings: { mode: 'both' } }, "at '/settings/mode': value must be one of 'custom', 'replace'"],
    [{ image: { digest: 'abc' } }, "at '/image/digest': 'abc' does not match"],
    [{ hub: { name: 'a: b' } }, "at '/hub/name'"],
    [{ kubeconfig: { secret: 'a, b' } }, "at '/kubeconfig/secret'"],
    [{ settings: { traces: true } }, "at '/settings/traces'"],
    [{ settings: { maximumRemoval: '50%' } }, "at '/settings/maximumRemoval'"],
    [{ fullnameOverride: 'Mine' }, "at '/fullnameOverride'"],
    [{ networkpolicy: {} }, "additional properties 'networkpolicy' not allowed"],
  ])('refuses %j', async (values, problem) => {
    await expect(helm('template', { ...IMAGE, ...values })).rejects.toThrow(problem)
  })
})
