import { expect, it } from 'vitest'
import { describeRefusals } from './refusals.ts'
import { describeIn, type Subject } from './subject.ts'

/** Mistakes that are easily made in the spec of a Pod, and what kube-apiserver 1.36 says of each. */
export function describePodSpecs(subject: Subject): void {
  describeIn(subject, 'pod-specs', (place) => {
    const answerTo = (spec: unknown) =>
      place.client.post(`${place.path('pods')}?dryRun=All`, { metadata: { name: 'p' }, spec })

    describeRefusals(place, 'pod-specs', ({ spec, container }) => ({
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'i', ...container }], ...spec },
    }))

    it('are taken with most of what they can have', async () => {
      const probe = { httpGet: { port: 'http' } }
      const { status, body } = await answerTo({
        volumes: [
          { name: 'scratch', emptyDir: {} },
          { name: 'settings', configMap: { name: 'c', items: [{ key: 'k', path: 'a/b', mode: 0o400 }] } },
          { name: 'host', hostPath: { path: '/var/log', type: 'Directory' } },
        ],
        initContainers: [{ name: 'first', image: 'i', volumeMounts: [{ name: 'scratch', mountPath: '/s' }] }],
        containers: [
          {
            name: 'c',
            image: 'i',
            ports: [{ name: 'http', containerPort: 80, hostPort: 8080 }],
            env: [
              { name: 'a.b-c d', value: 'x' },
              { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
              { name: 'APP', valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
              { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
            ],
            envFrom: [{ prefix: 'P_', configMapRef: { name: 'c' } }],
            volumeMounts: [
              { name: 'scratch', mountPath: '/s', subPath: 'x/y' },
              { name: 'settings', mountPath: '/c', readOnly: true },
            ],
            resources: {
              requests: { cpu: '100m', memory: '1Gi' },
              limits: { cpu: 1, memory: '1Gi', 'example.com/gpu': 2 },
            },
            livenessProbe: probe,
            readinessProbe: { ...probe, successThreshold: 3 },
            lifecycle: { preStop: { sleep: { seconds: 30 } }, postStart: probe },
            securityContext: {
              runAsUser: 0,
              capabilities: { drop: ['ALL'] },
              allowPrivilegeEscalation: false,
            },
          },
        ],
        tolerations: [
          { operator: 'Exists' },
          { key: 'a', value: 'b', effect: 'NoExecute', tolerationSeconds: 5 },
        ],
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }],
            },
          },
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 100, podAffinityTerm: { topologyKey: 'kubernetes.io/hostname' } },
            ],
          },
        },
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} },
        ],
        dnsPolicy: 'None',
        dnsConfig: { nameservers: ['10.0.0.10'], searches: ['.', 'a_b.svc.'], options: [{ name: 'ndots' }] },
        hostAliases: [{ ip: '127.0.0.1', hostnames: ['a.b'] }],
        securityContext: { fsGroup: 1, sysctls: [{ name: 'net/core/somaxconn', value: '1' }] },
        activeDeadlineSeconds: 1,
      })
      expect([status, body.message]).toEqual([201, undefined])
      const [{ lifecycle }] = body.spec.containers
      expect(lifecycle.postStart.httpGet).toEqual({ port: 'http', path: '/', scheme: 'HTTP' })
    })
  })
}
