import { quoted } from '../../../kubernetes/index.ts'
import { ApiError } from '../../apimachinery/errors/status.ts'
import type { FieldSet } from './fields/field-set.ts'
import { compareElements, pathText } from './fields/path-element.ts'
import type { Manager, ManagerId } from './managers.ts'

/** Fields that another manager owns and that an apply would change. */
export interface Conflict {
  readonly manager: Manager
  readonly fields: FieldSet
}

/** Makes a 409 with a cause for each field, in the words of the real server. */
export function applyConflict(conflicts: readonly Conflict[]): ApiError {
  const ordered = conflicts
    .map(({ manager, fields }) => ({ manager: shown(manager), paths: pathsOf(fields).map(pathText) }))
    .sort((a, b) => (a.manager < b.manager ? -1 : 1))
  const causes = ordered.flatMap(({ manager, paths }) =>
    paths.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${manager}`, field })),
  )
  const [only] = causes
  const summary =
    causes.length === 1 && only
      ? `1 conflict: ${only.message}: ${only.field}`
      : `${causes.length} conflicts: ${ordered.map(listed).join('\n')}`
  return new ApiError(409, 'Conflict', `Apply failed with ${summary}`, { causes })
}

function listed({ manager, paths }: { manager: string; paths: readonly string[] }): string {
  return [`conflicts with ${manager}:`, ...paths.map((path) => `- ${path}`)].join('\n')
}

/** Formats a manager: `"kubectl" with subresource "status" using v1`. */
function shown({ name, operation, subresource, apiVersion }: ManagerId): string {
  const by = subresource ? ` with subresource ${quoted(subresource)}` : ''
  const version = operation === 'Update' ? ` using ${apiVersion}` : ''
  return `${quoted(name)}${by}${version}`
}

/** Returns every field of a set: those of a level before those below them. */
function pathsOf(set: FieldSet, path: readonly string[] = []): string[][] {
  const children = [...set.children].sort(([a], [b]) => compareElements(a, b))
  const members = children.filter(([, child]) => child.member).map(([element]) => [...path, element])
  return [...members, ...children.flatMap(([element, child]) => pathsOf(child, [...path, element]))]
}
