import { equal, isObject, type Json, type JsonObject, member } from '../json/index.ts'
import type { Predicate } from '../spec/index.ts'

/** How an object was and is. One without the other: it came, or went. */
export interface Transition {
  readonly old: JsonObject | undefined
  readonly object: JsonObject | undefined
}

const FIELDS = {
  GenerationChanged: 'generation',
  ResourceVersionChanged: 'resourceVersion',
  LabelChanged: 'labels',
  AnnotationChanged: 'annotations',
} as const

/** The named predicates ask about updates only; whatever comes or goes passes them. */
export function accepts(predicate: Predicate, change: Transition): boolean {
  switch (predicate.kind) {
    case 'And':
      return predicate.of.every((inner) => accepts(inner, change))
    case 'Or':
      return predicate.of.some((inner) => accepts(inner, change))
    case 'Not':
      return !accepts(predicate.of, change)
    default:
      return isChanged(FIELDS[predicate.kind], change)
  }
}

function isChanged(field: string, { old, object }: Transition): boolean {
  if (old === undefined || object === undefined) return true
  return !equal(metadataOf(old, field), metadataOf(object, field))
}

function metadataOf(object: JsonObject, field: string): Json {
  const metadata = member(object, 'metadata')
  return (isObject(metadata) ? member(metadata, field) : undefined) ?? null
}
