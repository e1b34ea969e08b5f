export { createToken, isToken } from './access.ts'
export { type ConsoleServer, type ConsoleServerOptions, createConsoleServer } from './console-server.ts'
export type { PageFile } from './page-file.ts'
export type { Subscriber } from './subscribers.ts'
