export { reportExports, rollUpDeclarations } from './declarations.ts'
export { noticesOf } from './notices.ts'
