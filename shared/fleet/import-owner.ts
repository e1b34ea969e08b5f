import { SliceOwner } from '../endpointslice/index.ts'
import { MCS_GROUP, MCS_VERSIONS } from './resources.ts'
import { LABEL_IMPORT_NAME } from './well-known.ts'

/** The owner of imported slices. Those of a derived Service name that one by a label, too. */
export const IMPORT_OWNER: SliceOwner = new SliceOwner({
  apiVersion: `${MCS_GROUP}/${MCS_VERSIONS[0]}`,
  kind: 'ServiceImport',
  nameLabel: LABEL_IMPORT_NAME,
  isController: false,
})
