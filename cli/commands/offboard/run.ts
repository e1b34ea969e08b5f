import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { type ApiClient, createApiClient } from '../../../shared/kubernetes/index.ts'
import { parseSettings } from '../../../shared/settings/index.ts'
import { loadCluster } from '../../clusters/open-clusters.ts'
import { settingOf } from '../../options/settings.ts'
import { Progress, printReport } from '../../output/print-report.ts'
import { counted } from '../../terminal/index.ts'
import { UsageError } from '../../usage.ts'
import type { OffboardFlags } from './command.ts'
import { type FoundSlice, type FoundSlices, findSlices } from './find-slices.ts'
import { removeSlices } from './remove-slices.ts'

/** A relay and a function that still run make the slices again in less. */
const COME_BACK_MS = 5_000
/** Maximum number of passes over slices that change while they are deleted. */
const PASSES = 3

interface OffboardOptions extends OffboardFlags, Readonly<Record<string, unknown>> {
  /** Whether the managed-by value was given as a flag. */
  readonly isExplicit: boolean
}

export const runOffboard = (flags: OffboardFlags, command: Command): Promise<void> =>
  offboard({ ...flags, isExplicit: command.getOptionValueSource('managedBy') === 'cli' })

/**
 * @param comeBackMs milliseconds before the second search; default 5,000
 * @throws UsageError when slices of other managers could be hit
 * @throws Error when slices have come back, or could not be deleted
 */
export async function offboard(options: OffboardOptions, comeBackMs = COME_BACK_MS): Promise<void> {
  const managedBy = settingOf('managedBy', options)
  const own = parseSettings({}).managedBy
  if (managedBy !== own && !options.isExplicit)
    throw new UsageError(
      `the environment says managed-by ${managedBy}, which is not Sliceflow’s own: give it as --managed-by as well, because others may write such slices`,
    )
  const client = createApiClient(await loadCluster(options), { role: 'operator' })
  const { namespace } = options
  const isShared = managedBy !== own
  const find = (): Promise<FoundSlices> => findSlices(client, { managedBy, isShared, namespace })
  try {
    const found = await find()
    refuseOthers(found, managedBy, options.isExplicit)
    const deleted = options.yes ? await removeAll(client, found, find) : undefined
    const cameBack = deleted === undefined || deleted === 0 ? 0 : await countComingBack(find, comeBackMs)
    const { ours: slices, projections, notOurs } = found
    const { cluster } = client
    const outcome = { cluster, managedBy, slices, projections, notOurs, deleted, cameBack }
    printReport(documentOf(outcome), options.output, () => textOf(outcome))
    if (cameBack > 0)
      throw new Error(
        `${counted(cameBack, 'object')} ${cameBack === 1 ? 'has' : 'have'} come back in cluster ${client.cluster}: a relay or function still runs for it; stop that, and run this again`,
      )
  } finally {
    client.close()
  }
}

/** A value that was given is taken, unless it has nothing and others have: it is mistyped then. */
function refuseOthers(found: FoundSlices, managedBy: string, isExplicit: boolean): void {
  const isMistyped = found.ours.length === 0 && found.notOurs === 0
  if (found.elsewhere.size === 0 || (isExplicit && !isMistyped)) return
  const counts = [...found.elsewhere].map(
    ([value, count]) => `${count} with ${value === '' ? 'none' : value}`,
  )
  const wrote = isExplicit
    ? `there is no slice with managed-by ${managedBy}; Sliceflow wrote slices that carry other values`
    : 'Sliceflow also wrote slices that carry other managed-by values'
  throw new UsageError(`${wrote} (${counts.join(', ')}): choose with --managed-by`)
}

/** Deletes what was found, and what changed meanwhile once more. */
async function removeAll(
  client: ApiClient,
  first: FoundSlices,
  find: () => Promise<FoundSlices>,
): Promise<number> {
  const progress = new Progress()
  let deleted = 0
  let slices = allOf(first)
  for (let pass = 1; slices.length > 0; pass++) {
    const total = deleted + slices.length
    const before = deleted
    const { removed, changed } = await removeSlices(client, slices, (done) =>
      progress.report(`sliceflow: ${before + done} of ${total} objects`),
    )
    deleted += removed
    if (changed > 0 && pass === PASSES)
      throw new Error(
        `${changed} objects of cluster ${client.cluster} keep changing: stop the relay and the function for it, and run this again`,
      )
    slices = changed === 0 ? [] : allOf(await find())
  }
  return deleted
}

async function countComingBack(find: () => Promise<FoundSlices>, waitMs: number): Promise<number> {
  process.stderr.write(`sliceflow: checking again in ${waitMs / 1000} s\n`)
  await sleep(waitMs)
  return allOf(await find()).length
}

const allOf = ({ ours, projections }: FoundSlices): readonly FoundSlice[] => [...ours, ...projections]

interface Outcome {
  readonly cluster: string
  readonly managedBy: string
  readonly slices: readonly FoundSlice[]
  readonly projections: readonly FoundSlice[]
  readonly notOurs: number
  readonly deleted: number | undefined
  readonly cameBack: number
}

function documentOf({ slices, projections, deleted, ...outcome }: Outcome): object {
  const named = slices.map(({ namespace, name, kind, service }) => ({ namespace, name, kind, service }))
  const standing = projections.map(({ namespace, name }) => ({ namespace, name }))
  return { version: 1, ...outcome, slices: named, projections: standing, deleted: deleted ?? null }
}

function textOf({ cluster, managedBy, slices, projections, notOurs, deleted }: Outcome): string {
  const lines = [...slices, ...projections].map(
    ({ namespace, name, kind, service, isProjection }) =>
      `${namespace}/${name}  ${isProjection ? 'an EndpointSelector, for' : 'of'} ${kind} ${service}`,
  )
  const others =
    notOurs === 0
      ? []
      : [
          `${counted(notOurs, 'slice')} with managed-by ${managedBy} ${notOurs === 1 ? 'differs' : 'differ'} from what Sliceflow wrote: left alone`,
        ]
  const selectors = projections.length === 0 ? '' : ` and ${counted(projections.length, 'EndpointSelector')}`
  const found = counted(slices.length, 'slice') + selectors
  const count = `${found} with managed-by ${managedBy} in cluster ${cluster}`
  if (lines.length === 0 && deleted === undefined)
    return `${[...others, `${count}: nothing to delete`].join('\n')}\n`
  const sum =
    deleted === undefined
      ? `${count}; --yes deletes them. Stop the relay and the function for this cluster first.`
      : `deleted ${counted(deleted, selectors === '' ? 'slice' : 'object')} with managed-by ${managedBy} in cluster ${cluster}`
  return `${[...lines, ...others, sum].join('\n')}\n`
}
