import type { Packing, Service } from '../../endpointslice/index.ts'
import type { Settings } from '../../settings/index.ts'
import {
  ANNOTATION_MAXIMUM_REMOVAL,
  ANNOTATION_PACKING,
  ANNOTATION_PAUSED,
  ANNOTATION_RELEASE,
  OVERRIDE_ANNOTATIONS,
} from '../sources/annotations.ts'
import { annotationProblem } from './annotation-rules.ts'
import { misspeltAnnotation } from './misspelt-annotation.ts'

/** A Service or ServiceImport; its writers may annotate it with anything. */
type Annotated = Pick<Service, 'metadata'>

/** Settings that a Service may have otherwise. */
type OverriddenSettings = Pick<Settings, 'packing' | 'maximumRemoval' | 'maximumRemovalCount'>

/** An annotation that does not count, as its meaning is unknown. */
export interface IgnoredAnnotation {
  readonly annotation: string
  /** A clause. */
  readonly problem: string
  /** What holds instead, as a clause. */
  readonly instead: string
}

/** State of the annotation `sliceflow.dev/paused`. */
export type Pause =
  /** @property since in RFC 3339; absent where neither the annotation nor managedFields say it */
  | { readonly kind: 'paused'; readonly since?: string }
  /** It may well be meant to pause. */
  | { readonly kind: 'malformed'; readonly problem: string }

/** Reads whether a Service is paused; undefined where it is not. */
export function pauseOf({ metadata }: Annotated): Pause | undefined {
  const text = textOf({ metadata }, ANNOTATION_PAUSED)
  if (text === undefined || text === 'false') return undefined
  const problem = annotationProblem(ANNOTATION_PAUSED, text)
  if (problem !== undefined) return { kind: 'malformed', problem }
  return { kind: 'paused', since: timeOf(text) ?? annotatedSince(metadata) }
}

/** Returns the settings with what the Service's annotations say instead; malformed ones do not count. */
export function withControls<Some extends Partial<OverriddenSettings>>(
  service: Annotated,
  settings: Some,
): Some {
  const removal = readRemoval(formedText(service, ANNOTATION_MAXIMUM_REMOVAL))
  const packing = formedText(service, ANNOTATION_PACKING) as Packing | undefined
  if (removal === undefined && packing === undefined) return settings
  return { ...settings, ...removal, ...(packing !== undefined && { packing }) }
}

/** Reports whether the Service says itself how much a plan may remove. */
export const overridesRemoval = (service: Annotated): boolean =>
  formedText(service, ANNOTATION_MAXIMUM_REMOVAL) !== undefined

const INSTEAD = {
  [ANNOTATION_MAXIMUM_REMOVAL]: 'the setting maximumRemoval holds until it is fixed',
  [ANNOTATION_PACKING]: 'the setting packing holds until it is fixed',
  [ANNOTATION_RELEASE]: 'it releases no plan',
} as const

/** Lists the annotations that do not count, for whom the settings do. */
export function ignoredAnnotations(service: Annotated): IgnoredAnnotation[] {
  const annotations = service.metadata?.annotations
  const misspelt = misspeltAnnotation(annotations, OVERRIDE_ANNOTATIONS)
  const names = Object.keys(INSTEAD) as (keyof typeof INSTEAD)[]
  return [
    ...names.flatMap((annotation) => {
      const text = textOf(service, annotation)
      const problem = text === undefined ? undefined : annotationProblem(annotation, text)
      return problem === undefined ? [] : [{ annotation, problem, instead: INSTEAD[annotation] }]
    }),
    ...(misspelt === undefined
      ? []
      : [{ ...misspelt, instead: INSTEAD[misspelt.meant as (typeof OVERRIDE_ANNOTATIONS)[number]] }]),
  ]
}

/** Says what is wrong with it and what holds instead, as a clause. */
export const ignoredReason = ({ annotation, problem, instead }: IgnoredAnnotation): string =>
  `the annotation ${annotation} cannot be used: ${problem}; ${instead}`

/** @returns the value as text; undefined where there is none, or a server sent something else */
function textOf({ metadata }: Annotated, annotation: string): string | undefined {
  const value: unknown = metadata?.annotations?.[annotation]
  return typeof value === 'string' ? value : undefined
}

function formedText(service: Annotated, annotation: keyof typeof INSTEAD): string | undefined {
  const text = textOf(service, annotation)
  return text !== undefined && annotationProblem(annotation, text) === undefined ? text : undefined
}

/** A share leaves the count of the settings, below which no plan is held. A count alone decides. */
function readRemoval(text: string | undefined): Partial<OverriddenSettings> | undefined {
  if (text === undefined) return undefined
  if (text.endsWith('%')) return { maximumRemoval: Number(text.slice(0, -1)) / 100 }
  return text.includes('.')
    ? { maximumRemoval: Number(text) }
    : { maximumRemoval: 0, maximumRemovalCount: Number(text) }
}

/** @returns a time in whole seconds; undefined for what is none, such as the 31st of February */
function timeOf(text: unknown): string | undefined {
  const time = typeof text === 'string' ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? undefined : new Date(time).toISOString().replace(/\.\d+Z$/, 'Z')
}

const ANNOTATION_FIELD = `f:${ANNOTATION_PAUSED}`

/**
 * Returns when the annotation was written, by managedFields: the time at which the first of its writers last
 * wrote anything of the Service. It is paused at least since then.
 */
function annotatedSince(metadata: Annotated['metadata']): string | undefined {
  const entries: unknown = Object(metadata).managedFields
  if (!Array.isArray(entries)) return undefined
  const times = entries.filter(isOfPause).flatMap((entry) => timeOf(Object(entry).time) ?? [])
  return times.sort()[0]
}

function isOfPause(entry: unknown): boolean {
  const fields = Object(Object(Object(entry).fieldsV1)['f:metadata'])['f:annotations']
  return Object.hasOwn(Object(fields), ANNOTATION_FIELD)
}
