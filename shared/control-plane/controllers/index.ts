export { API_CONTROLLERS, type ApiControllerName, CONTROLLERS, type ControllerName } from './names.ts'
export type { ContentElsewhere, ContentReport } from './namespaces/index.ts'
export { ensureSystemNamespaces } from './namespaces/index.ts'
export { startLocalControllers } from './start-local.ts'
export {
  type RemoteControllers,
  type RemoteControllersOptions,
  startRemoteControllers,
} from './start-remote.ts'
