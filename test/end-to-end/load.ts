import { onTestFinished } from 'vitest'
import { removeNamespaced } from '../support/remove-namespaced.ts'
import { createWorkload, type Workload, type WorkloadOptions } from '../support/workload.ts'
import type { Scene } from './scene.ts'

/**
 * Opens a workload on the scene's cluster, in namespaces of its own. Its objects are deleted after the test.
 */
export function openLoad({ client, settings }: Scene, options: Omit<WorkloadOptions, 'client'>): Workload {
  const workload = createWorkload({ client, settings, ...options })
  onTestFinished(async () => {
    for (const namespace of workload.namespaces) await removeNamespaced(client, namespace)
  })
  return workload
}
