import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { execPath } from 'node:process'
import type { Json, RawClient } from '../../support/raw-client.ts'
import type { ApiServer } from '../api-server.ts'

export interface PlayedPodOptions {
  readonly server: ApiServer
  /** May do everything. */
  readonly admin: RawClient
  /** As the API server has it: with one container, and volumes of ConfigMaps and Secrets. */
  readonly pod: Json
  /** The folder that the image is built from. */
  readonly image: string
}

/** A process that runs as a kubelet would run the container of a pod. */
export interface PlayedPod {
  /** What it has written so far. */
  readonly log: string
  /** Asks as the container's probe of this name does. @returns the status, or 0 where nobody answers */
  probe(name: 'livenessProbe' | 'readinessProbe'): Promise<number>
  /** As a deletion of the pod does: SIGTERM, and SIGKILL after the grace period. Resolves to the exit code. */
  terminate(): Promise<number | null>
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount'

/** Starts the process, in an environment of its own: what is mounted are files of a folder, and paths lead there. */
export async function startPod({ server, admin, pod, image }: PlayedPodOptions): Promise<PlayedPod> {
  const root = await mkdtemp(join(tmpdir(), 'sliceflow-pod-'))
  const [container] = pod.spec.containers
  const files = await mountedFiles(server, admin, pod)
  const mounts = [...new Set([...files.keys()].map((file) => dirname(file)))]
  /** There is no file system of its own here, and no name of the API server. */
  const here = (text: string): string =>
    mounts
      .reduce((changed, mount) => changed.replaceAll(mount, join(root, mount)), text)
      .replaceAll('https://kubernetes.default.svc', server.url)
  for (const [file, text] of files) {
    await mkdir(dirname(join(root, file)), { recursive: true })
    await writeFile(join(root, file), here(text))
  }
  const variables: readonly { name: string; value: string }[] = container.env ?? []
  const env = Object.fromEntries(variables.map(({ name, value }) => [name, value]))
  const [program = '', ...args] = await entrypointOf(image)
  const child = spawn(program, [...args, ...container.args.map((arg: string) => here(arg))], {
    cwd: image,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      log += chunk
    })
  const ended = once(child, 'close').then(([code]): number | null => code)
  return {
    get log() {
      return log
    },
    async probe(name) {
      const { path, port } = container[name].httpGet
      const { containerPort } = container.ports.find((known: Json) => known.name === port)
      return fetch(`http://127.0.0.1:${containerPort}${path}`).then(
        ({ status }) => status,
        () => 0,
      )
    },
    async terminate() {
      child.kill('SIGTERM')
      const grace = setTimeout(() => child.kill('SIGKILL'), pod.spec.terminationGracePeriodSeconds * 1000)
      const code = await ended
      clearTimeout(grace)
      await rm(root, { recursive: true })
      return code
    },
  }
}

/** The texts of all files that are mounted, by their paths in the container. */
async function mountedFiles(
  server: ApiServer,
  admin: RawClient,
  { metadata, spec }: Json,
): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>()
  const inNamespace = `/api/v1/namespaces/${metadata.namespace}`
  const [{ volumeMounts = [] }] = spec.containers
  for (const { name, mountPath } of volumeMounts) {
    const { configMap, secret } = spec.volumes.find((volume: Json) => volume.name === name)
    if (configMap !== undefined) {
      const { body } = await admin.get(`${inNamespace}/configmaps/${configMap.name}`)
      for (const [key, text] of Object.entries<string>(body.data)) files.set(join(mountPath, key), text)
    } else if (secret !== undefined) {
      const { body } = await admin.get(`${inNamespace}/secrets/${secret.secretName}`)
      for (const { key, path } of secret.items)
        files.set(join(mountPath, path), Buffer.from(body.data[key], 'base64').toString('utf8'))
    } else throw new Error(`volume ${name} is of a kind that is not played`)
  }
  if (spec.automountServiceAccountToken === true) {
    const path = `${inNamespace}/serviceaccounts/${spec.serviceAccountName}/token`
    const { body } = await admin.post(path, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: metadata.name, uid: metadata.uid } },
    })
    files.set(`${SERVICE_ACCOUNT}/token`, body.status.token)
    files.set(`${SERVICE_ACCOUNT}/ca.crt`, server.authority)
  }
  return files
}

/** What the Containerfile says of the start, with the files where they are here. */
async function entrypointOf(image: string): Promise<readonly string[]> {
  const text = await readFile(join(image, 'Containerfile'), 'utf8')
  const read = (instruction: string): string =>
    new RegExp(`^${instruction} (.+)$`, 'm').exec(text)?.[1] ?? `no ${instruction}`
  const [node, ...rest]: string[] = JSON.parse(read('ENTRYPOINT'))
  if (node !== '/nodejs/bin/node') throw new Error(`the image starts ${node}, and not its Node.js`)
  return [execPath, ...rest.map((part) => part.replace(read('WORKDIR'), image))]
}
