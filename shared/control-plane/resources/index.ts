export { builtinResources, type ResourceSet } from './builtin.ts'
