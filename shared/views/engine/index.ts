export { createEngine } from './engine.ts'
export { diffViews, evaluateViews } from './evaluate-views.ts'
export { patched, unpatched, updated } from './merge.ts'
export type {
  ControllerExplanation,
  Engine,
  EngineOptions,
  Explanation,
  ObjectEvent,
  ObjectEventType,
  ObjectProblem,
  OriginExplanation,
  OriginObject,
  Outcome,
  PipelineDelta,
  ViewEvent,
  ViewObject,
  ViewReference,
} from './types.ts'
