import { type PermissionSettings, permissionsOf, type Selection, selectionOf } from '../../changes/index.ts'
import type { Service } from '../../endpointslice/index.ts'
import type { Settings } from '../../settings/index.ts'
import { type InputVersion, versionOf } from '../verify-after-write.ts'

export type SelectSettings = PermissionSettings & Pick<Settings, 'mode'>

/** Says what Sliceflow has to do with a Service of one cluster. */
export type Select = (service: Service) => Selection

/**
 * Creates selectionOf() for successive syncs: a Service that has not changed is not parsed again.
 */
export function createSelect(cluster: string, settings: SelectSettings): Select {
  const permissions = permissionsOf(cluster, settings)
  let last: { readonly version: InputVersion; readonly selection: Selection } | undefined
  return (service) => {
    const version = versionOf(service)
    if (last === undefined || last.version !== version)
      last = { version, selection: selectionOf(service, settings.mode, permissions) }
    return last.selection
  }
}
