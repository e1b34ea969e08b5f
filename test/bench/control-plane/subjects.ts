import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleCommand } from '../../../infra/bundling/index.ts'
import { startApiServer } from '../../cluster/api-server.ts'
import { startCommand } from '../../support/control-plane-process.ts'
import { treeUsage } from '../race/usage.ts'

/** Path of the command in the package. */
const COMMAND = fileURLToPath(new URL('../../../dist/cli', import.meta.url))

/** An API server that runs in processes of its own. */
export interface Subject {
  /** Time from its start to its first answer, in milliseconds. */
  readonly startMs: number
  /** YAML. */
  readonly kubeconfig: string
  /** Returns the resident memory of all of its processes, in MB. */
  residentMb(): Promise<number>
  stop(): Promise<void>
}

/**
 * Builds the command and starts it once. Node keeps compiled what the first start reads, as for an installed
 * command.
 */
export async function buildCommand(): Promise<void> {
  await bundleCommand(COMMAND)
  const server = await startCommand(join(COMMAND, 'main.js'), ['--resources', 'generic'])
  await server.end('SIGTERM')
}

async function embedded(...flags: readonly string[]): Promise<Subject> {
  const began = performance.now()
  const server = await startCommand(join(COMMAND, 'main.js'), ['--resources', 'generic', ...flags])
  return {
    startMs: performance.now() - began,
    kubeconfig: server.kubeconfig,
    residentMb: () => residentMb(server.pid),
    stop: async () => void (await server.end('SIGKILL')),
  }
}

async function onSqlite(): Promise<Subject> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-control-plane-'))
  const subject = await embedded('--data', folder)
  return {
    ...subject,
    async stop() {
      await subject.stop()
      await rm(folder, { recursive: true })
    },
  }
}

/** Starts kube-apiserver with etcd, which does not sync to the disk here. */
async function kubeApiServer(): Promise<Subject> {
  const began = performance.now()
  const server = await startApiServer()
  const startMs = performance.now() - began
  return {
    startMs,
    kubeconfig: server.kubeconfig.text,
    residentMb: () => residentMb(server.pids.apiServer, server.pids.etcd),
    stop: () => server.stop(),
  }
}

export const SUBJECTS = {
  memory: () => embedded(),
  SQLite: onSqlite,
  'kube-apiserver': kubeApiServer,
} as const

export type SubjectName = keyof typeof SUBJECTS

/** Sums the resident memory of processes and their children. */
async function residentMb(...ids: readonly number[]): Promise<number> {
  const usages = await Promise.all(ids.map(treeUsage))
  return usages.reduce((sum, { memoryMb }) => sum + memoryMb, 0)
}
