import { describe, expect, it } from 'vitest'
import type { Json } from '../../../../../test/support/raw-client.ts'
import { accepted, PATIENCE } from '../subject.ts'
import { CRDS, conditions, definition, type Scene } from './scene.ts'

/** Definitions in groups that are the Kubernetes project's own. */
export function describeProtectedGroups({ place, define }: Scene): void {
  describe('groups of the Kubernetes project', () => {
    const APPROVED = 'api-approved.kubernetes.io'
    const crd = (annotation?: string): Json => {
      const base = definition('gadgets', {}, { group: 'conformance.k8s.io' })
      const annotations = annotation === undefined ? {} : { [APPROVED]: annotation }
      return { ...base, metadata: { ...base.metadata, annotations } }
    }

    it('have a condition that says whether they are approved', async () => {
      const body = crd('unapproved, an experiment')
      await define(body)
      const path = `${CRDS}/${body.metadata.name}`
      const type = 'KubernetesAPIApprovalPolicyConformant'
      const reported = async (): Promise<Json> =>
        (await place.client.get(path)).body.status.conditions.find((known: Json) => known.type === type)
      await expect.poll(reported, PATIENCE).toMatchObject({
        status: 'False',
        reason: 'UnapprovedAnnotation',
        message: 'not approved: "unapproved, an experiment"',
      })
      const approval = 'https://github.com/kubernetes/kubernetes/pull/1'
      accepted(await place.client.patch(path, { metadata: { annotations: { [APPROVED]: approval } } }))
      await expect
        .poll(reported, PATIENCE)
        .toMatchObject({ status: 'True', reason: 'ApprovedAnnotation', message: `approved in ${approval}` })
      // Three controllers write one condition each, in no order that is promised.
      expect(conditions((await place.client.get(path)).body).toSorted()).toEqual([
        'Established=True',
        `${type}=True`,
        'NamesAccepted=True',
      ])
    })
  })
}
