export { admissionOf } from './request.ts'
export type {
  AdmissionAttributes,
  AdmissionOperation,
  AdmissionPlugin,
  AdmissionRequest,
  GroupVersionKind,
  GroupVersionResource,
  RequestAdmission,
  RequestLifetime,
} from './types.ts'
