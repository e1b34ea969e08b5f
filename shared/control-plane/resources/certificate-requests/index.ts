export {
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
} from './admission.ts'
export { certificateSigningRequests } from './definition.ts'
