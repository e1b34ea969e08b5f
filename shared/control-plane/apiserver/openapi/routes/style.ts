import type { ResourceDefinition } from '../../registry/definition/resource-definition.ts'
import { OBJECT_TYPES } from './route.ts'

const LIST =
  'allowWatchBookmarks continue fieldSelector labelSelector limit resourceVersion resourceVersionMatch sendInitialEvents shardSelector timeoutSeconds watch'.split(
    ' ',
  )
const DELETE =
  'dryRun gracePeriodSeconds ignoreStoreReadErrorWithClusterBreakingPotential orphanDependents propagationPolicy'.split(
    ' ',
  )
/** Parameters of lists that a deletion of many does not take. */
const OF_LISTS_ONLY = new Set(['allowWatchBookmarks', 'watch'])
const PATCH_TYPES = ['application/json-patch+json', 'application/merge-patch+json']

/** Style in which the routes of a resource are described. Built-in and custom resources differ in details. */
export interface RouteStyle {
  /** Media types of bodies. */
  readonly consumes: readonly string[]
  readonly produces: readonly string[]
  readonly streams: readonly string[]
  readonly patchTypes: readonly string[]
  readonly listText: string
  readonly parameters: Readonly<
    Record<'list' | 'get' | 'write' | 'patch' | 'delete' | 'deletecollection', readonly string[]>
  >
  /** Whether a deletion of many takes a body. */
  readonly collectionBody: boolean
  /** Whether a patch may create. */
  readonly patchCreates: boolean
  /** Whether the paths with `/watch/` are listed too, and the group-version's own. */
  readonly complete: boolean
}

const SHARED = {
  list: LIST,
  write: ['dryRun', 'fieldManager', 'fieldValidation'],
  patch: ['dryRun', 'fieldManager of patches', 'fieldValidation', 'force'],
  delete: DELETE,
}

const BUILT_IN: RouteStyle = {
  consumes: ['*/*'],
  produces: OBJECT_TYPES,
  streams: [
    ...OBJECT_TYPES,
    'application/json;stream=watch',
    'application/vnd.kubernetes.protobuf;stream=watch',
  ],
  patchTypes: [...PATCH_TYPES, 'application/strategic-merge-patch+json', 'application/apply-patch+yaml'],
  listText: 'list or watch objects of kind',
  parameters: {
    ...SHARED,
    get: [],
    deletecollection: [...LIST.filter((name) => !OF_LISTS_ONLY.has(name)), ...DELETE],
  },
  collectionBody: true,
  patchCreates: true,
  complete: true,
}

/** Style of custom resources, as in apiextensions-apiserver's pkg/controller/openapi/builder. */
const CUSTOM: RouteStyle = {
  consumes: ['application/json', 'application/yaml'],
  produces: ['application/json', 'application/yaml'],
  streams: ['application/json', 'application/yaml'],
  patchTypes: [...PATCH_TYPES, 'application/apply-patch+yaml'],
  listText: 'list objects of kind',
  parameters: { ...SHARED, get: ['resourceVersion'], deletecollection: LIST },
  collectionBody: false,
  patchCreates: false,
  complete: false,
}

/** Reports whether Go structs describe a resource. */
export const isBuiltIn = ({ schema }: ResourceDefinition): boolean => schema !== undefined

export const styleOf = (definition: ResourceDefinition): RouteStyle =>
  isBuiltIn(definition) ? BUILT_IN : CUSTOM
