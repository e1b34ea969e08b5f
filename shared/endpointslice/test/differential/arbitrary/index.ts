export { testCases } from './test-cases.ts'
