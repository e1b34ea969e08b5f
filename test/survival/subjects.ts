import { join } from 'node:path'
import { KUBERNETES_VERSION } from '../cluster/binaries.ts'
import { type ControllerManager, startControllerManager } from '../cluster/controller-manager.ts'
import { freePort } from '../cluster/free-port.ts'
import { type SliceflowProcess, startSliceflowProcess } from '../support/sliceflow-process.ts'
import { IN_TREE_CONTROLLER } from '../support/workload.ts'
import type { Management, Subject, SubjectKind } from './subject.ts'

const IN_TREE: Management = { mode: 'replace', managedBy: IN_TREE_CONTROLLER }
const CUSTOM: Management = { mode: 'custom', managedBy: 'sliceflow.dev' }

/**
 * Makes the in-tree controller as a control plane runs it, with every default, and the garbage collector: it
 * removes the slices of Services that are gone.
 * @param kubeconfig a file whose user may do everything
 */
export function controllerManagerKind(kubeconfig: string): SubjectKind {
  const name = `kube-controller-manager ${KUBERNETES_VERSION}`
  const controllers = ['endpointslice-controller', 'garbage-collector-controller']
  const create = (_: Management, flags: readonly string[]): Subject => {
    let manager: ControllerManager | undefined
    return {
      name,
      async start(now = []) {
        manager = await startControllerManager({ kubeconfig, controllers, flags: [...flags, ...now] })
      },
      async kill() {
        await manager?.stop()
        manager = undefined
      },
      metrics: () => started(manager).metrics(),
    }
  }
  return { id: 'kube-controller-manager', name, management: () => IN_TREE, create }
}

interface SliceflowKindOptions {
  /** A file whose user has infra/rbac/cluster-role.yaml and no more. */
  readonly kubeconfig: string
  readonly version: string
  /** Folder of the recordings, a file each. */
  readonly folder: string
}

/**
 * Makes `sliceflow run`, in place of the in-tree controller or in its own mode. It records, and has no help
 * of a garbage collector.
 */
export function sliceflowKind({ kubeconfig, version, folder }: SliceflowKindOptions): SubjectKind {
  const name = `Sliceflow ${version}`
  let subjects = 0
  const create = ({ mode, managedBy }: Management, more: readonly string[]): Subject => {
    let run: SliceflowProcess | undefined
    let metricsPort = 0
    const recording = join(folder, `record-${++subjects}.ndjson`)
    return {
      name,
      recording,
      async start(now = []) {
        metricsPort = await freePort()
        const management = ['--mode', mode, '--managed-by', managedBy]
        const told = ['--metrics-port', String(metricsPort), '--record', recording]
        const flags = [...management, ...told, ...more, ...now]
        run = startSliceflowProcess({ kubeconfig, flags })
        await run.ready
      },
      async kill() {
        run?.kill('SIGKILL')
        await run?.ended
        run = undefined
      },
      log: () => run?.stderr ?? '',
      metrics: async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text(),
    }
  }
  const management: SubjectKind['management'] = (mode) => (mode === 'custom' ? CUSTOM : IN_TREE)
  return { id: 'sliceflow', name, management, create }
}

function started<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the subject is not running')
  return value
}
