export { admissionOf, type RequestAdmission } from './request.ts'
export type {
  AdmissionAttributes,
  AdmissionOperation,
  AdmissionPlugin,
  AdmissionRequest,
  GroupVersionKind,
  GroupVersionResource,
} from './types.ts'
