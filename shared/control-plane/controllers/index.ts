export type { ContentElsewhere, ContentReport } from './content-elsewhere.ts'
export { CONTROLLERS, type ControllerName } from './names.ts'
export { startLocalControllers } from './start-local.ts'
export { ensureSystemNamespaces } from './system-namespaces.ts'
