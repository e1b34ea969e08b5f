import { objectAt, stringAt } from '../apimachinery/json/values.ts'
import type { KubeObject } from '../apimachinery/objects.ts'
import { errorsBy, type Field } from '../apimachinery/validation/field.ts'
import type { ResourceDefinition } from '../apiserver/registry/definition/resource-definition.ts'
import { tableOf } from '../apiserver/table/columns.ts'
import { builtInKind } from './built-in-kind.ts'

export const leases: ResourceDefinition = {
  ...builtInKind('coordination.k8s.io', 'Lease'),
  namespaced: true,
  finalizers: 'any',
  createOnUpdate: true,
  unconditionalUpdate: false,
  table: tableOf('leases', (lease) => ({ Holder: stringAt(objectAt(lease, 'spec'), 'holderIdentity') })),
  strategy: {
    prepareForCreate: (lease) => dropCoordination(lease),
    prepareForUpdate: (lease, old) => dropCoordination(lease, old),
    validate: errorsBy(validateLease),
  },
}

/** Drops the fields of coordinated leader election, whose feature gate upstream has off by default. */
function dropCoordination(lease: KubeObject, old?: KubeObject): void {
  const kept = old ? objectAt(old, 'spec') : {}
  const spec = { ...objectAt(lease, 'spec') }
  for (const field of ['strategy', 'preferredHolder']) {
    if (kept[field] === undefined) delete spec[field]
  }
  if (lease.spec !== undefined) lease.spec = spec
}

function validateLease(lease: Field): void {
  lease.child('spec', 'leaseDurationSeconds').ifSet?.atLeast(1, 'must be greater than 0')
}
