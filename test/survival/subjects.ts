import { KUBERNETES_VERSION } from '../cluster/binaries.ts'
import { type ControllerManager, startControllerManager } from '../cluster/controller-manager.ts'
import { freePort } from '../cluster/free-port.ts'
import { type SliceflowProcess, startSliceflowProcess } from '../support/sliceflow-process.ts'
import { IN_TREE_CONTROLLER } from '../support/workload.ts'
import type { Subject, SubjectKind } from './subject.ts'

/**
 * The in-tree controller as a control plane runs it, with every default, and the garbage collector: it removes the slices
 * of Services that are gone.
 * @param kubeconfig a file whose user may do everything
 */
export function controllerManagerKind(kubeconfig: string): SubjectKind {
  const name = `kube-controller-manager ${KUBERNETES_VERSION}`
  const controllers = ['endpointslice-controller', 'garbage-collector-controller']
  const create = (flags: readonly string[]): Subject => {
    let manager: ControllerManager | undefined
    return {
      name,
      async start() {
        manager = await startControllerManager({ kubeconfig, controllers, flags })
      },
      async kill() {
        await manager?.stop()
        manager = undefined
      },
      metrics: () => started(manager).metrics(),
    }
  }
  return { id: 'kube-controller-manager', name, create }
}

/**
 * `sliceflow run` in place of it; no garbage collector helps.
 * @param kubeconfig a file whose user has infra/rbac/cluster-role.yaml and no more
 */
export function sliceflowKind(kubeconfig: string, version: string): SubjectKind {
  const name = `Sliceflow ${version}`
  const create = (more: readonly string[]): Subject => {
    let run: SliceflowProcess | undefined
    let metricsPort = 0
    return {
      name,
      async start() {
        metricsPort = await freePort()
        const mode = ['--mode', 'replace', '--managed-by', IN_TREE_CONTROLLER]
        const flags = [...mode, '--metrics-port', String(metricsPort), ...more]
        run = startSliceflowProcess({ kubeconfig, flags })
        await run.ready
      },
      async kill() {
        run?.kill('SIGKILL')
        await run?.ended
        run = undefined
      },
      metrics: async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text(),
    }
  }
  return { id: 'sliceflow', name, create }
}

function started<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the subject is not running')
  return value
}
