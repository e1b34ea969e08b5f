export type { ContentElsewhere, ContentReport } from './content-elsewhere.ts'
export { CONTROLLERS, type ControllerName, ensureSystemNamespaces, startControllers } from './start.ts'
