import { invalid } from '../../../apimachinery/errors/factories.ts'
import type { KubeObject } from '../../../apimachinery/objects.ts'
import { admissionOf } from '../admission/request.ts'
import { encodeObject } from '../decode.ts'
import type { Endpoint } from '../definition/resource-definition.ts'
import type { WriteContext } from '../definition/write-context.ts'
import { trackWrite } from './track-write.ts'

/** Reports whether a kind is a question: what is created is answered and not stored. */
export const isQuestion = ({ definition }: Endpoint): boolean => definition.strategy?.answer !== undefined

/** Returns the answer to an object that is a question, with the metadata that the request came with. */
export async function answerQuestion(
  endpoint: Endpoint,
  submitted: KubeObject,
  namespace: string | undefined,
  context: WriteContext,
): Promise<KubeObject> {
  const { definition } = endpoint
  const { selfLink, uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, ...kept } =
    submitted.metadata
  const metadata = { ...kept, ...(namespace === undefined ? {} : { namespace }) }
  const asked = { ...submitted, metadata }
  trackWrite(asked, { definition, context, submitted: { ...asked } })
  const admission = admissionOf('CREATE', { endpoint, namespace, name: metadata.name }, context)
  const draft = admission?.mutates ? await admission.mutate(asked, undefined) : asked
  const errors = definition.strategy?.validate?.(draft, context) ?? []
  // Upstream's reviews have lost their kind by then.
  if (errors.length > 0) throw invalid({ group: definition.group, kind: '' }, '', errors)
  if (admission?.validates) await admission.validate(draft, undefined)
  return encodeObject(definition, (await definition.strategy?.answer?.(draft, context)) ?? draft)
}
