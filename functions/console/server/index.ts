export {
  type ConsoleServer,
  createConsoleServer,
  createToken,
  isToken,
  type PageFile,
} from './console-server.ts'
export type { Subscriber } from './subscribers.ts'
