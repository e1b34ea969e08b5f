import type { TaggedCluster } from './aws.ts'
import { EKS_NAME_PATTERN } from './config.ts'

/**
 * Returns the name of a cluster that was found: no other one has it, whatever accounts and regions are
 * searched, and it is a DNS label wherever its name in EKS is a short one, as ids in cluster sets must be.
 */
export const uniqueName = ({
  clusterName,
  region,
  account,
}: Pick<TaggedCluster, 'clusterName' | 'region' | 'account'>): string => `${clusterName}-${region}-${account}`

/** Ending of the names that clusters have without an alias: nobody may take that of another. */
const RESERVED = /-\d-\d{12}$/

/** Reads the alias of a cluster from its tags; a value that cannot be one is a problem, in words. */
export function aliasIn(
  tags: TaggedCluster['tags'],
  nameTag: string | undefined,
): { readonly alias?: string; readonly problem?: string } {
  const alias = nameTag === undefined ? undefined : tags[nameTag]
  if (alias === undefined) return {}
  // What EKS would allow, so that an alias is as safe in keys and metrics as a name is.
  if (!EKS_NAME_PATTERN.test(alias))
    return { problem: `tag ${nameTag}: "${alias}" is no name: give letters, digits, "-" and "_"` }
  if (RESERVED.test(alias))
    return { problem: `tag ${nameTag}: "${alias}" ends as names without an alias do; give another one` }
  return { alias }
}
