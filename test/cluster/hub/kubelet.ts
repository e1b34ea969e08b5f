import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { execPath } from 'node:process'
import type { Json, RawClient } from '../../support/raw-client.ts'
import type { ApiServer } from '../api-server.ts'
import { mountedFiles } from './pod-files.ts'

interface PlayedPodOptions {
  readonly server: ApiServer
  /** May do everything. */
  readonly admin: RawClient
  /** Pod as the API server has it: with one container, and volumes of ConfigMaps, Secrets and tokens. */
  readonly pod: Json
  /** The folder that the image is built from. */
  readonly image: string
}

/** A process that runs as a kubelet would run the container of a pod. */
export interface PlayedPod {
  /** Text that it has written so far. */
  readonly log: string
  /** Variables of the container. */
  readonly env: Readonly<Record<string, string>>
  /** Returns a command line for the container with the paths that its programs and files have here. */
  here(commandLine: string): string
  /** Asks as the container's probe of this name does. @returns the status, or 0 without an answer */
  probe(name: 'livenessProbe' | 'readinessProbe'): Promise<number>
  /**
   * Ends it as a deletion of the pod does: SIGTERM, and SIGKILL after the grace period. Resolves to the exit
   * code.
   */
  terminate(): Promise<number | null>
}

/**
 * Starts the process, in an environment of its own: what is mounted are files of a folder, and paths lead
 * there.
 */
export async function startPod({ server, admin, pod, image }: PlayedPodOptions): Promise<PlayedPod> {
  const root = await mkdtemp(join(tmpdir(), 'sliceflow-pod-'))
  const [container] = pod.spec.containers
  const files = await mountedFiles(server, admin, pod)
  const mounts = [...new Set([...files.keys()].map((file) => dirname(file)))]
  /** Replaces paths and the API server's name by those of this machine, as there is no container. */
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
    env,
    here: (commandLine) =>
      here(commandLine).replaceAll('/nodejs/bin/node', execPath).replaceAll('/opt/sliceflow', image),
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

/** Reads how the Containerfile starts it, with the files where they are here. */
async function entrypointOf(image: string): Promise<readonly string[]> {
  const text = await readFile(join(image, 'Containerfile'), 'utf8')
  const read = (instruction: string): string =>
    new RegExp(`^${instruction} (.+)$`, 'm').exec(text)?.[1] ?? `no ${instruction}`
  const [node, ...rest]: string[] = JSON.parse(read('ENTRYPOINT'))
  if (node !== '/nodejs/bin/node') throw new Error(`the image starts ${node}, and not its Node.js`)
  return [execPath, ...rest.map((part) => part.replace(read('WORKDIR'), image))]
}
