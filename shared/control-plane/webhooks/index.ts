export { caBundleErrors, clientConfigErrors } from './client-config-errors.ts'
