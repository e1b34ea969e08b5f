export { type KeyText, keyText, type ServiceKey } from './key.ts'
