export { type Backend, backendsOf, conditionsOf, type KnownConditions } from './backends.ts'
