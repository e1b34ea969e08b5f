import { quoted } from '../../../kubernetes/index.ts'
import { forbidden } from '../../apimachinery/errors/factories.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { objectAt, objectsAt } from '../../apimachinery/json/values.ts'
import { annotationsOf, type KubeObject } from '../../apimachinery/objects.ts'
import type { WriteContext } from '../../apiserver/registry/definition/write-context.ts'
import { generatedName } from '../../apiserver/registry/writes/generated-name.ts'

const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount'
/** Lifetime of a token: upstream's default, and a little more for the kubelet to refresh it. */
const TOKEN_SECONDS = 3607
const FILE_MODE = 0o644
const EVICT_AFTER = 300
const TOLERATED = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']
const MIRROR = 'kubernetes.io/config.mirror'
const PODS = { group: '', plural: 'pods' }

/** Does what the default admission plugins do to new pods: service account, tolerations, priority. */
export function admitPod(pod: KubeObject, { objects }: WriteContext): void {
  const spec: JsonObject = { ...objectAt(pod, 'spec') }
  if (!(MIRROR in annotationsOf(pod))) admitServiceAccount(pod, spec, objects)
  addTolerations(spec)
  spec.priority ??= 0
  spec.preemptionPolicy ??= 'PreemptLowerPriority'
  pod.spec = spec
}

/** Does what they do to an update, which is only to check the tolerations again. */
export function admitPodUpdate(pod: KubeObject): void {
  const spec: JsonObject = { ...objectAt(pod, 'spec') }
  addTolerations(spec)
  pod.spec = spec
}

/** Admits the service account, which must exist. Its token is mounted unless pod or account says no. */
function admitServiceAccount(pod: KubeObject, spec: JsonObject, objects: WriteContext['objects']): void {
  const name = String(spec.serviceAccountName || 'default')
  const namespace = pod.metadata.namespace ?? ''
  const account = objects.get('serviceaccounts', namespace, name)
  if (!account) {
    const why = `error looking up service account ${namespace}/${name}: serviceaccount ${quoted(name)} not found`
    throw forbidden(PODS, pod.metadata.name ?? '', why)
  }
  spec.serviceAccountName = name
  spec.serviceAccount = name
  const automount = spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true
  if (automount === true) mountToken(spec)
}

function mountToken(spec: JsonObject): void {
  const unmounted = (container: JsonObject): boolean =>
    !objectsAt(container, 'volumeMounts').some(({ mountPath }) => mountPath === MOUNT_PATH)
  const containers = ['initContainers', 'containers']
  if (!containers.some((list) => objectsAt(spec, list).some(unmounted))) return
  const name = generatedName('kube-api-access-')
  for (const list of containers) {
    if (spec[list] === undefined) continue
    spec[list] = objectsAt(spec, list).map((container) =>
      unmounted(container)
        ? {
            ...container,
            volumeMounts: [
              ...objectsAt(container, 'volumeMounts'),
              { name, readOnly: true, mountPath: MOUNT_PATH },
            ],
          }
        : container,
    )
  }
  spec.volumes = [...objectsAt(spec, 'volumes'), tokenVolume(name)]
}

function tokenVolume(name: string): JsonObject {
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        {
          downwardAPI: {
            items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
          },
        },
      ],
      defaultMode: FILE_MODE,
    },
  }
}

/** Adds tolerations for five minutes on a lost node (admission plugin DefaultTolerationSeconds). */
function addTolerations(spec: JsonObject): void {
  const tolerations = objectsAt(spec, 'tolerations')
  const missing = TOLERATED.filter(
    (key) =>
      !tolerations.some(
        (item) =>
          (item.key === key || item.key === undefined) &&
          (item.effect === 'NoExecute' || item.effect === undefined),
      ),
  )
  if (missing.length === 0) return
  spec.tolerations = [
    ...tolerations,
    ...missing.map((key) => ({
      key,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: EVICT_AFTER,
    })),
  ]
}
