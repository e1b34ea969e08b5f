export { API_REPORT, reportExports } from './declarations.ts'
export { buildLibraries } from './libraries.ts'
export { noticesOf } from './notices.ts'
