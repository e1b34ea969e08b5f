import type { Service } from '../../endpointslice/index.ts'
import { grantsPods } from '../../settings/index.ts'
import { commaSeparated } from '../../values/index.ts'
import { NOT_BLANK } from './annotation-check.ts'
import { ANNOTATION_CLUSTER, ANNOTATION_NAMESPACE } from './annotations.ts'
import type { Permissions } from './permissions.ts'
import { AnnotationError, type PodSelection, RefusedError, type Source } from './source.ts'

/** Clusters of one Service at most: each sync reads the pods in all of them. */
const MAX_CLUSTERS = 20

export const NAMESPACE_NEEDS_CLUSTER = `it needs ${ANNOTATION_CLUSTER}: pods of this cluster are those of the Service’s own namespace`

/** Pods of other clusters, and of other namespaces there. */
export const REMOTE_PODS = {
  name: 'remotePods',
  summary: 'beside a selector: pods of other clusters, or of another namespace',
  annotations: {
    [ANNOTATION_CLUSTER]: [
      // As in a message.
      { kind: 'length', most: 512 },
      { kind: 'pattern', pattern: NOT_BLANK, problem: 'it is empty' },
      {
        kind: 'pattern',
        pattern: /^[ \t\r\n]*[^, \t\r\n][^,]*(?:,[ \t\r\n]*[^, \t\r\n][^,]*)*$/,
        problem: 'it has a comma without a name beside it',
      },
      { kind: 'terms', most: MAX_CLUSTERS, verbs: ['names', 'name'], nouns: 'clusters' },
    ],
    [ANNOTATION_NAMESPACE]: [
      { kind: 'length', most: 63 },
      {
        kind: 'pattern',
        pattern: /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/,
        problem: 'is not the name of a namespace',
        isQuoted: true,
      },
    ],
  },
  grantedBy: 'allowedPods',
  kindsElsewhere: ['pods', 'nodes'],
  refines: 'pods',
  refine,
} as const satisfies Source

function refine({ metadata }: Service, { cluster, settings }: Permissions): Partial<PodSelection> {
  const own = metadata?.namespace ?? ''
  const { [ANNOTATION_CLUSTER]: names, [ANNOTATION_NAMESPACE]: namespace } = metadata?.annotations ?? {}
  if (names === undefined) {
    if (namespace === undefined) return {}
    throw new AnnotationError(ANNOTATION_NAMESPACE, NAMESPACE_NEEDS_CLUSTER)
  }
  const clusters = [...new Set(commaSeparated(names))]
  const of = namespace ?? own
  const refused = clusters.find(
    (other) =>
      !grantsPods(settings.allowedPods, { cluster, namespace: own }, { cluster: other, namespace: of }),
  )
  if (refused === undefined) return { clusters, namespace: of }
  throw new RefusedError(
    ANNOTATION_CLUSTER,
    `Services of namespace ${own} may not take pods of namespace ${of} of cluster ${refused} (setting allowedPods)`,
  )
}
