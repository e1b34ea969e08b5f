import type { AdmissionPlugin, Registry } from '../apiserver/registry/index.ts'
import { paramAccess } from './admission-registration/index.ts'
import {
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
} from './certificate-requests/index.ts'
import { resourceQuotaAdmission } from './resource-quotas/index.ts'

/**
 * The configured plugins between those of kube-apiserver that belong to built-in resources, in its order:
 * quotas are charged when nobody refuses a request any more.
 */
export function withBuiltinAdmission(
  configured: readonly AdmissionPlugin[],
  registry: Registry,
): AdmissionPlugin[] {
  return [
    paramAccess(registry),
    certificateApproval,
    certificateSigning,
    certificateSubjectRestriction,
    ...configured,
    resourceQuotaAdmission(registry),
  ]
}
