export { createSystemNamespaces, NamespaceController } from './namespace-controller.ts'
