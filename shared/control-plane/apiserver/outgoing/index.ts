export { connectionFailure, DEADLINE_EXCEEDED } from './connection-failure.ts'
export { readText } from './read-text.ts'
export { retire } from './retire.ts'
