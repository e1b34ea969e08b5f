import { quoted } from '../../../../kubernetes/index.ts'
import { badRequest } from '../../../apimachinery/errors/index.ts'
import { pathSegmentName } from '../../../apimachinery/validation/index.ts'

/** Throws a 400 for a name that no object can have, because it cannot be a part of a path. */
export function checkPathName(name: string): void {
  const problems = pathSegmentName(name)
  if (problems.length > 0) {
    throw badRequest(`Name parameter invalid: ${quoted(name)}: ${problems.join(';')}`)
  }
}
