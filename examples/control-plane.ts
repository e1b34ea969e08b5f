/**
 * A control plane for an API of your own: Databases of the group example.org, with a default, a rule and a
 * status.
 *
 *   node examples/control-plane.ts
 *   kubectl --kubeconfig databases.kubeconfig get databases      # in another terminal
 */
import { writeFileSync } from 'node:fs'
import process from 'node:process'
// '@sliceflow/control-plane' where the package is installed.
import {
  ageOf,
  builtinResources,
  type ControlPlane,
  createControlPlane,
  type KubeObject,
  type ResourceDefinition,
} from '../shared/control-plane/index.ts'

const sizeOf = ({ spec }: KubeObject): number | undefined => (spec as { sizeGb?: number } | undefined)?.sizeGb

const databases: ResourceDefinition = {
  group: 'example.org',
  version: 'v1',
  kind: 'Database',
  plural: 'databases',
  singular: 'database',
  shortNames: ['db'],
  namespaced: true,
  hasStatus: true,
  table: {
    columns: [
      { name: 'Name', type: 'string', format: 'name' },
      { name: 'Size', type: 'string' },
      { name: 'Age', type: 'string' },
    ],
    cells: (object, now) => [object.metadata.name ?? '', `${sizeOf(object)} GB`, ageOf(object, now)],
  },
  strategy: {
    setDefaults: (object) => {
      object.spec = { ...(object.spec as object), sizeGb: sizeOf(object) ?? 10 }
    },
    prepareForCreate: (object) => {
      delete object.status
    },
    validate: (object) =>
      (sizeOf(object) ?? 0) > 0
        ? []
        : [{ reason: 'FieldValueInvalid', field: 'spec.sizeGb', message: 'must be above 0' }],
  },
}

export async function startDatabases(kubeconfigFile: string, dataDir?: string): Promise<ControlPlane> {
  const controlPlane = await createControlPlane({
    apis: { resources: [...builtinResources('generic'), databases] },
    storage: dataDir === undefined ? {} : { dataDir },
    authorization: 'RBAC',
    controllers: ['namespace', 'serviceaccount', 'garbage-collector', 'clusterrole-aggregation'],
  })
  await controlPlane.listen()
  writeFileSync(kubeconfigFile, controlPlane.kubeconfig, { mode: 0o600 })
  return controlPlane
}

if (import.meta.main) {
  await startDatabases('databases.kubeconfig')
  process.stdout.write('ready: kubectl --kubeconfig databases.kubeconfig get databases\n')
}
