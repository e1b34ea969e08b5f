export type { ContentElsewhere, ContentReport } from './content-elsewhere.ts'
export { API_CONTROLLERS, type ApiControllerName, CONTROLLERS, type ControllerName } from './names.ts'
export { startLocalControllers } from './start-local.ts'
export {
  type RemoteControllers,
  type RemoteControllersOptions,
  startRemoteControllers,
} from './start-remote.ts'
export { ensureSystemNamespaces } from './system-namespaces.ts'
