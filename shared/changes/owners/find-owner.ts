import { LABEL_MANAGED_BY } from '../../endpointslice/index.ts'
import type { ContentSettings } from '../../settings/index.ts'
import type { OtherOwner } from './other-owner.ts'
import { OTHER_OWNERS } from './other-owners.ts'

/** Finds a kind of owners beside Service; undefined for a Service, and for what owns no slices. */
export const otherOwner = (kind: string | undefined): OtherOwner | undefined =>
  OTHER_OWNERS.find(({ owner }) => owner.kind === kind)

/** The same by its kind or the plural of it, in small letters or not, as on a command line. */
export const otherOwnerNamed = (text: string): OtherOwner | undefined =>
  OTHER_OWNERS.find(({ owner }) => [owner.kind, `${owner.kind}s`].some((name) => isSameWord(name, text)))

const isSameWord = (name: string, text: string): boolean => name.toLowerCase() === text.toLowerCase()

/** Returns the kinds of owners beside Service of which the settings publish slices. */
export const publishedOwners = (settings: Partial<ContentSettings>): readonly OtherOwner[] =>
  OTHER_OWNERS.filter(({ enabledBy }) => settings[enabledBy] === true)

/** Reports whether the settings publish slices of a kind of owners, as of a key. */
export const isPublished = (ownerKind: string | undefined, settings: Partial<ContentSettings>): boolean =>
  ownerKind === undefined || publishedOwners(settings).some(({ owner }) => owner.kind === ownerKind)

/** Finds a kind of owners of which the settings publish no slices; undefined for others, and for Services. */
export const unpublishedOwner = (
  ownerKind: string | undefined,
  settings: Partial<ContentSettings>,
): OtherOwner | undefined => (isPublished(ownerKind, settings) ? undefined : otherOwner(ownerKind))

/** Says why nothing updates slices of a kind of owners, and what does or deletes them, as a clause. */
export const unpublishedAdvice = ({ enabledBy, owner }: OtherOwner, managedBy: string): string =>
  `nothing updates them without the setting ${enabledBy}: set it again, or kubectl delete endpointslices -A -l '${owner.selector()},${LABEL_MANAGED_BY}=${managedBy}'`
