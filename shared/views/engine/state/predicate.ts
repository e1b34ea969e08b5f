import { equal, isObject, type Json, type JsonObject, member } from '../../json/index.ts'
import type { Predicate } from '../../spec/index.ts'

/** States of an object before and after a change. If one is missing, the object came or went. */
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

/** Reports whether a change passes a predicate: named ones compare updates; adds and deletes pass. */
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
