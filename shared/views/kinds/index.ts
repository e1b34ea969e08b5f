export { type ViewKind, viewKinds } from './view-kinds.ts'
