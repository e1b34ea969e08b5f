export { API_CONTROLLERS, type ApiControllerName, CONTROLLERS, type ControllerName } from './names.ts'
export type { ContentElsewhere, ContentReport } from './namespaces/content-elsewhere.ts'
export { ensureSystemNamespaces } from './namespaces/system-namespaces.ts'
export { startLocalControllers } from './start-local.ts'
export {
  type RemoteControllers,
  type RemoteControllersOptions,
  startRemoteControllers,
} from './start-remote.ts'
