export type { ContentElsewhere, ContentReport } from './content-elsewhere.ts'
export { isEnding, unlessEnding } from './ending-namespaces.ts'
export { startNamespaces } from './namespace-controller.ts'
export { ensureSystemNamespaces } from './system-namespaces.ts'
