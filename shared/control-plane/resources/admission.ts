import type { AdmissionPlugin } from '../registry/index.ts'
import {
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
} from './certificate-requests/index.ts'

/** The configured plugins between those of kube-apiserver that belong to built-in resources, in its order. */
export function withBuiltinAdmission(configured: readonly AdmissionPlugin[]): AdmissionPlugin[] {
  return [certificateApproval, certificateSigning, certificateSubjectRestriction, ...configured]
}
