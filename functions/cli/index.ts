export { EXIT_CODES } from './exit-codes.ts'
export { helpText } from './output/help-text.ts'
export { endWithReader, prepareCommand } from './prepare-command.ts'
