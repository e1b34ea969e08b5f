import type { ResourceDefinition } from '../registry/index.ts'
import { nameAndAge } from '../table/index.ts'

export const serviceAccounts: ResourceDefinition = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  singular: 'serviceaccount',
  namespaced: true,
  shortNames: ['sa'],
  schema: 'core.ServiceAccount',
  table: nameAndAge,
}
