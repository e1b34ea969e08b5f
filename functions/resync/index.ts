export { createResyncHandler } from './handler.ts'
export { ResyncError, type ResyncOptions, type ResyncResult, resync } from './resync.ts'
