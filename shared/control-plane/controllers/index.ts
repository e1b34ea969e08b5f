export { CONTROLLERS, type ControllerName, ensureSystemNamespaces, startControllers } from './start.ts'
