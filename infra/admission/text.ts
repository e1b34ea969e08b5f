import { stringify } from 'yaml'
import { admissionPolicies } from './policies.ts'

const INTRODUCTION = `# Refuses malformed annotations of Sliceflow's when somebody applies them, with the words of the Event that Sliceflow would put on the
# object, and warns of those that nothing reads. For the owner of a cluster to apply; Sliceflow itself does not need it, nor may write it.
# Generated from shared/changes/sources: UPDATE=1 npx vitest run --project unit infra/admission
`

/** Writes infra/rbac/admission.yaml. */
export const admissionText = (): string =>
  INTRODUCTION +
  admissionPolicies()
    .map((object) => stringify(object, { lineWidth: 0 }))
    .join('---\n')
