import * as z from 'zod/mini'
import { CLUSTERS, FLEET, type Flags, groupFlags, NAMESPACE, OUTPUT } from '../../options/flag-groups.ts'

const GROUPS = {
  /** One context at most where a Service is asked for without a cluster set. */
  clusters: CLUSTERS,
  fleet: FLEET,
  asked: z.extend(NAMESPACE, { allNamespaces: z.optional(z.literal(true)) }),
  /** Recordings: files, or `s3://BUCKET/PREFIX`. */
  recorded: z.object({ from: z.readonly(z.array(z.string())) }),
  printed: OUTPUT,
}

/** The flags of `explain` but for the settings. */
export type ExplainFlags = ReturnType<typeof explainFlags>

export const explainFlags = (flags: Flags) => groupFlags(flags, GROUPS)
