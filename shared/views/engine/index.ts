export { createEngine } from './engine.ts'
export { diffViews, evaluateViews } from './evaluate-views.ts'
export { patched, unpatched, updated } from './merge.ts'
export type * from './types.ts'
