import * as z from 'zod/mini'

/** The flags of a command, as commander has parsed and checked them; the settings among them are text. */
export type Flags = Readonly<Record<string, unknown>>

/**
 * Takes the flags apart into groups by subject. Each group has the flags that its schema names, and a command
 * hands groups on, never all flags.
 */
export function groupFlags<Groups extends Readonly<Record<string, z.ZodMiniType>>>(
  flags: Flags,
  groups: Groups,
): { readonly [Name in keyof Groups]: z.output<Groups[Name]> } {
  const entries = Object.entries(groups).map(([name, schema]) => [name, z.parse(schema, flags)] as const)
  return Object.fromEntries(entries) as { [Name in keyof Groups]: z.output<Groups[Name]> }
}

const texts = z.readonly(z.array(z.string()))

/** Clusters of a kubeconfig. */
export const CLUSTERS = z.object({ kubeconfig: texts, context: texts })
export type ClustersFlags = z.output<typeof CLUSTERS>

/** Of commands about one Service, or about all of a namespace. */
export const NAMESPACE = z.object({ namespace: z.optional(z.string()) })
export type NamespaceFlags = z.output<typeof NAMESPACE>

/** Of commands that print a report. */
export const OUTPUT = z.object({ output: z.enum(['text', 'json', 'yaml']) })

/** Of commands that make or ask about a cluster set. */
export const FLEET = z.object({
  /** The set's name, or true for the usual one; absent: there is no set. */
  fleet: z.optional(z.union([z.string(), z.literal(true)])),
  fleetNamespaces: z.string(),
  fleetRole: texts,
  fleetId: texts,
})
export type FleetFlags = z.output<typeof FLEET>
