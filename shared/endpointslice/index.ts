export type * from './types.ts'
export * from './well-known.ts'
