import { invalid } from '../errors/index.ts'
import type { KubeObject } from '../objects.ts'
import { encodeObject } from './decode.ts'
import type { WriteContext } from './definition.ts'
import type { Endpoint } from './endpoint.ts'
import { trackWrite } from './track-write.ts'

/** True for kinds that are questions: what is created is answered and not stored. */
export const isQuestion = ({ definition }: Endpoint): boolean => definition.strategy?.answer !== undefined

/** The answer to an object of a kind that is a question; the request's own metadata come back with it. */
export async function answerQuestion(
  { definition }: Endpoint,
  submitted: KubeObject,
  namespace: string | undefined,
  context: WriteContext,
): Promise<KubeObject> {
  const metadata = { ...submitted.metadata, ...(namespace === undefined ? {} : { namespace }) }
  const draft = { ...submitted, metadata }
  trackWrite(draft, { definition, context, submitted: { ...draft } })
  const errors = definition.strategy?.validate?.(draft, context) ?? []
  if (errors.length > 0) throw invalid(definition, draft.metadata.name ?? '', errors)
  return encodeObject(definition, (await definition.strategy?.answer?.(draft, context)) ?? draft)
}
