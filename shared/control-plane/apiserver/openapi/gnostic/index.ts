export { encodeDocumentV2 } from './encode.ts'
