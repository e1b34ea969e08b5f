export { OpenApi } from './documents.ts'
