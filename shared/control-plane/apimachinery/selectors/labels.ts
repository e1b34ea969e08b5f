import {
  type LabelRequirement,
  parseLabelSelector as parse,
  SelectorError,
} from '../../../kubernetes/index.ts'
import { badRequest } from '../errors/index.ts'

/**
 * Reads a label selector of a request. Throws a 400 with the texts of the real server where it cannot be
 * read.
 */
export function parseLabelSelector(selector: string): LabelRequirement[] {
  try {
    return parse(selector)
  } catch (error) {
    throw error instanceof SelectorError ? badRequest(error.message) : error
  }
}
