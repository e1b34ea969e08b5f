export { admissionOf, type RequestAdmission } from './request.ts'
export type {
  AdmissionAttributes,
  AdmissionOperation,
  AdmissionPlugin,
  AdmissionRequest,
  GroupVersionKind,
  GroupVersionResource,
  RequestLifetime,
} from './types.ts'
