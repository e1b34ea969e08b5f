export { type Backend, backendsOf } from './backends.ts'
export { conditionsOf, type KnownConditions } from './conditions.ts'
