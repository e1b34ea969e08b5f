export { approvalErrors } from './approval.ts'
export { dns1035Label, nameErrors } from './names.ts'
export { specErrors } from './spec.ts'
export { specUpdateErrors, storedVersionErrors } from './update.ts'
