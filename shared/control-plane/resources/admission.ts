import type { AdmissionPlugin } from '../apiserver/registry/admission/types.ts'
import type { Registry } from '../apiserver/registry/registry.ts'
import { paramAccess } from './admission-registration/policies/param-access.ts'
import {
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
} from './certificate-requests/admission.ts'
import { resourceQuotaAdmission } from './resource-quotas/admission.ts'

/**
 * Puts the configured plugins between kube-apiserver's plugins for built-in resources, in its order. Quotas
 * are charged last, once no plugin can refuse the request.
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
