import type { AnnotationRules } from './annotation-check.ts'
import { isPodSource, isReadSource, type PodSource, type ReadSource } from './source.ts'
import { SOURCES } from './sources.ts'

/** A source that a Service asks for by an annotation. */
export type AskedSource = PodSource | ReadSource

export const ASKED_SOURCES: readonly AskedSource[] = SOURCES.filter(
  (source): source is AskedSource => isPodSource(source) || isReadSource(source),
)

/** What the annotations must be that say what a Service's endpoints are. */
export const SELECTION_RULES: AnnotationRules = Object.assign(
  {},
  ...SOURCES.map((source) => source.annotations),
)

/** Every annotation that says what a Service's endpoints are. */
export const SELECTION_ANNOTATIONS: readonly string[] = Object.keys(SELECTION_RULES)

/** Reports whether one of the annotations is there that ask for endpoints in `custom` mode. */
export const asksForEndpoints = (annotations: Readonly<Record<string, unknown>> | undefined): boolean =>
  annotations !== undefined && ASKED_SOURCES.some(({ asks }) => asks in annotations)

/** Says that a Service asks for two sources. */
export const excludes = (asked: AskedSource): string => `it excludes ${asked.asks}: remove one of them`
