import type { AdmissionPlugin, AdmissionRequest, Registry } from '../registry/index.ts'
import { paramAccess } from './admission-registration/index.ts'
import {
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
} from './certificate-requests/index.ts'
import { resourceQuotaAdmission } from './resource-quotas/index.ts'

/**
 * The configured plugins between those of kube-apiserver that belong to built-in resources, in its order: quotas are charged when nobody
 * refuses a request any more.
 */
export function withBuiltinAdmission(
  configured: readonly AdmissionPlugin[],
  registry: Registry,
): AdmissionPlugin[] {
  return [
    beforeWrites(registry),
    paramAccess(registry),
    certificateApproval,
    certificateSigning,
    certificateSubjectRestriction,
    ...configured,
    resourceQuotaAdmission(registry),
  ]
}

/** Loads what judging the objects of a resource needs, before the first one is written: the server's start does without it. */
function beforeWrites(registry: Registry): AdmissionPlugin {
  const loadFor = ({ resource: { group, version, resource } }: AdmissionRequest) =>
    registry.endpoint(group, version, resource)?.definition.strategy?.load?.()
  return {
    name: 'LoadBeforeWrite',
    handles: (request) => request.operation !== 'DELETE' && loadFor(request) !== undefined,
    mutate: async (attributes) => await loadFor(attributes),
  }
}
