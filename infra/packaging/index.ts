export { API_REPORT, type FolderOf } from './declarations.ts'
export { buildLibraries } from './libraries.ts'
export { noticesOf } from './notices.ts'
