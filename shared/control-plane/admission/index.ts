export { serverAdmission } from './server-admission.ts'
