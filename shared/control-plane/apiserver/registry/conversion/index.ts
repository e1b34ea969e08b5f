export { ConvertedStore } from './converted-store.ts'
export { writeConverted } from './converted-write.ts'
