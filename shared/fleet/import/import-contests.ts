import { hash } from 'node:crypto'
import { lastWriteOf, type Service } from '../../endpointslice/index.ts'
import { type ApiObject, FIELD_MANAGER } from '../../kubernetes/index.ts'
import { type Contest, type Fight, otherSliceflowAs, otherWriter } from '../../reconciler/index.ts'
import type { FleetContext } from '../fleet-context.ts'
import type { FleetCluster, ImportState } from '../read/read-fleet.ts'
import { type ServiceImport, serviceImports } from '../resources.ts'
import { ANNOTATION_WRITER } from '../well-known.ts'
import { importUpdate, type WantedImport } from './import-object.ts'
import { type ImportFindings, importStatusUpdate } from './import-status.ts'
import type { ImportSource } from './imported-endpoints.ts'
import { derivedWrite } from './write-import.ts'

const digestOf = (wanted: unknown): string => hash('sha256', JSON.stringify(wanted), 'base64url')

/** Returns whose work the sync of an import replaces. @param target what is wanted, beside the sources */
export function importContest(
  { member }: FleetCluster,
  { import: object, slices }: ImportState,
  { sources, target }: { readonly sources: readonly ImportSource[]; readonly target: unknown },
  { set, namespace, name, guards }: FleetContext,
): Contest {
  const parts = (): unknown =>
    sources.map((source) => [
      source.cluster,
      source.service.spec?.ports,
      source.slices.map(({ addressType, endpoints, ports }) => [addressType, endpoints, ports]),
    ])
  const hasSlices = slices.length > 0
  const writer = object?.metadata?.annotations?.[ANNOTATION_WRITER]
  const other = writer === guards.writer ? undefined : writer
  return {
    of: `${set} ${namespace}/${name} ${member.cluster}`,
    wanted: () => digestOf([target, parts()]),
    slices: hasSlices ? slices.map(({ metadata }) => metadata?.name ?? '') : [`ServiceImport ${name}`],
    replaces: otherSliceflowAs(hasSlices ? otherWriter(slices, guards.writer) : other),
  }
}

/** Writes an import beside its slices, unless others undo it: who edits our last write contests it. */
export function createObjectWrites(
  cluster: FleetCluster,
  { import: existing, derived: before }: ImportState,
  {
    of,
    object,
    wanted,
  }: { readonly of: string; readonly object: ServiceImport; readonly wanted: WantedImport },
  context: FleetContext,
) {
  const { client } = cluster
  const { guards, signal } = context
  const { contests, writer } = guards
  const resource = serviceImports(cluster.version)
  const fights: Fight[] = []
  const owned = { owner: object, wanted }

  /** @param isEdited whether others have edited what is there; otherwise the write never waits */
  async function write<T extends ApiObject | undefined>(
    what: string,
    current: T,
    { isEdited, ...about }: { readonly isEdited: boolean; readonly wanted: unknown },
    send: () => Promise<T>,
  ): Promise<T> {
    const contest: Contest = {
      of: `${of} ${what}`,
      wanted: () => digestOf(about.wanted),
      slices: [`${what} of ServiceImport ${object.metadata?.name}`],
      replaces: isEdited ? { kind: 'edits', by: editorOf(current ?? object) } : undefined,
    }
    const fight = contests.fight(contest)
    if (fight !== undefined) {
      fights.push(fight)
      return current
    }
    const after = await send()
    if (after !== current) contests.wrote(contest)
    return after
  }

  return {
    /** What others undo again and again: it stays for a while. */
    fights,
    async derived(): Promise<Service | undefined> {
      const send = derivedWrite(cluster, before, owned, context)
      if (send === undefined) return before
      return write('derived Service', before, { isEdited: existing !== undefined, wanted }, send)
    },
    async import(derived: Service | undefined): Promise<ServiceImport> {
      const update = importUpdate(object, wanted, derived)
      if (update === undefined) return object
      // What another Sliceflow wrote is a contest of the import as a whole.
      const isEdited = existing?.metadata?.annotations?.[ANNOTATION_WRITER] === writer
      return write('spec', object, { isEdited, wanted }, () => client.update(resource, update, { signal }))
    },
    async status(updated: ServiceImport, findings: ImportFindings): Promise<ServiceImport> {
      const update = importStatusUpdate(updated, findings, context.now())
      if (update === undefined) return updated
      const isEdited = existing?.status !== undefined
      return write('status', updated, { isEdited, wanted: [wanted, findings] }, () =>
        client.update(resource, update, { subresource: 'status', signal }),
      )
    },
  }
}

/** Names who wrote an object last, beside us. */
const editorOf = (object: ApiObject): string | undefined =>
  lastWriteOf(object, (manager) => manager !== FIELD_MANAGER)?.manager
