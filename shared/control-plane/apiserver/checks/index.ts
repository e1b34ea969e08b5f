export { checkListenOptions, checkOptions } from './check-options.ts'
