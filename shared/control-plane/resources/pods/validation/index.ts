export { podErrors } from './pod.ts'
export { podStatusErrors, podUpdateErrors } from './pod-update.ts'
