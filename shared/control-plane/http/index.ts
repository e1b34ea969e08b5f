export { ApiHandler, type ApiHandlerOptions } from './api-handler.ts'
export { Encoder } from './encoder.ts'
export { ApiServer, type ApiServerOptions } from './server.ts'
