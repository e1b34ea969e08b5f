export { endWithReader, prepareCommand } from './prepare-command.ts'
