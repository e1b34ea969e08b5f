export { createFleetIndex, type FleetIndex } from './fleet-index.ts'
export type { FleetKind, MemberIndex } from './member-index.ts'
