export { createEngine } from './engine.ts'
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
