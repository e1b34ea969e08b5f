export { type ServerAdmission, serverAdmission } from './server-admission.ts'
