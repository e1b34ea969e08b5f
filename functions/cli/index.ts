export { EXIT_CODES } from './exit-codes.ts'
export { endWithReader, prepareCommand } from './prepare-command.ts'
