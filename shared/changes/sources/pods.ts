import { parseLabelSelector } from '../../kubernetes/index.ts'
import { NOT_BLANK } from './annotation-check.ts'
import { ANNOTATION_SELECTOR } from './annotations.ts'
import type { Source } from './source.ts'

const SPACE = String.raw`[ \t\r\n]*`
/** A label's value, or the part of its key after the slash. */
const LABEL = '[A-Za-z0-9]+(?:[-_.]+[A-Za-z0-9]+)*'
const SUBDOMAIN = String.raw`[a-z0-9]+(?:(?:-+|\.)[a-z0-9]+)*`
const KEY = `(?:${SUBDOMAIN}/)?${LABEL}`
const SET = String.raw`\(${SPACE}(?:${LABEL}${SPACE})?(?:,${SPACE}(?:${LABEL}${SPACE})?)*\)`
const COMPARISON = String.raw`${SPACE}(?:(?:==?|!=)(?:${SPACE}${LABEL})?|[<>]${SPACE}[0-9]+)|[ \t\r\n]+(?:not)?in${SPACE}${SET}`
const REQUIREMENT = `${SPACE}(?:!${SPACE}${KEY}|${KEY}(?:${COMPARISON})?)${SPACE}`

/**
 * Characters at most. An API server allows 262,144 in all annotations of an object: a user who may annotate a
 * Service could make a relay parse and keep that for each, and compare every pod of the namespace with it.
 */
const MAX_LENGTH = 4096

/** Requirements and values in sets at most: each pod that changes is compared with every one of them. */
const MAX_TERMS = 100

/** Pods of the Service's own namespace and cluster. */
export const PODS_SOURCE = {
  name: 'pods',
  summary: 'pods of the Service’s own namespace, by their labels',
  annotations: {
    [ANNOTATION_SELECTOR]: [
      { kind: 'length', most: MAX_LENGTH },
      {
        kind: 'pattern',
        pattern: NOT_BLANK,
        problem: 'it is empty and would match every pod of the namespace',
      },
      { kind: 'terms', most: MAX_TERMS, verbs: ['has', 'have'], nouns: 'requirements and values' },
      {
        kind: 'selector',
        pattern: new RegExp(`^(?:${REQUIREMENT},)+$`),
        problem: 'it is not a selector as kubectl -l takes it, such as app=web,tier in (a,b)',
      },
    ],
  },
  kinds: ['pods', 'nodes'],
  asks: ANNOTATION_SELECTOR,
  selectPods: ({ metadata }) => ({
    selector: parseLabelSelector(metadata?.annotations?.[ANNOTATION_SELECTOR] ?? ''),
    namespace: metadata?.namespace ?? '',
  }),
} as const satisfies Source
