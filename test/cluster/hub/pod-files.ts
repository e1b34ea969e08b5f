import { join } from 'node:path'
import type { Json, RawClient } from '../../support/raw-client.ts'
import type { ApiServer } from '../api-server.ts'

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount'

/** Texts by the paths of their files. */
type Files = readonly (readonly [path: string, text: string])[]

/**
 * Reads what a kubelet would mount into the only container of a pod, by the paths there.
 * @param admin may do everything
 * @throws Error where a volume is of no ConfigMap, Secret or projected tokens
 */
export async function mountedFiles(
  server: ApiServer,
  admin: RawClient,
  { metadata, spec }: Json,
): Promise<ReadonlyMap<string, string>> {
  const inNamespace = `/api/v1/namespaces/${metadata.namespace}`

  async function requestToken({ audience, expirationSeconds }: Json): Promise<string> {
    const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: metadata.name, uid: metadata.uid }
    const { body } = await admin.post(`${inNamespace}/serviceaccounts/${spec.serviceAccountName}/token`, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { boundObjectRef, expirationSeconds, ...(audience && { audiences: [audience] }) },
    })
    return body.status.token
  }

  async function filesOf({ name, configMap, secret, projected }: Json): Promise<Files> {
    if (configMap !== undefined) {
      const { body } = await admin.get(`${inNamespace}/configmaps/${configMap.name}`)
      return Object.entries<string>(body.data)
    }
    if (secret !== undefined) {
      const { body } = await admin.get(`${inNamespace}/secrets/${secret.secretName}`)
      return secret.items.map(({ key, path }: Json) => [
        path,
        Buffer.from(body.data[key], 'base64').toString('utf8'),
      ])
    }
    if (projected === undefined) throw new Error(`volume ${name} is of a kind that is not played`)
    const tokens = projected.sources.map(({ serviceAccountToken }: Json) => serviceAccountToken)
    return Promise.all(tokens.map(async (token: Json) => [token.path, await requestToken(token)] as const))
  }

  const files = new Map<string, string>()
  const [{ volumeMounts = [] }] = spec.containers
  for (const { name, mountPath } of volumeMounts) {
    const volume = spec.volumes.find((known: Json) => known.name === name)
    for (const [path, text] of await filesOf(volume)) files.set(join(mountPath, path), text)
  }
  if (spec.automountServiceAccountToken === true) {
    files.set(join(SERVICE_ACCOUNT, 'token'), await requestToken({}))
    files.set(join(SERVICE_ACCOUNT, 'ca.crt'), server.authority)
  }
  return files
}
