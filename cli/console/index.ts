export { type Console, type ConsoleOptions, createConsole } from './console.ts'
export { isToken } from './server/console-server.ts'
