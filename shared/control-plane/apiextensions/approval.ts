import { quoted } from '../../kubernetes/index.ts'
import { stringAt } from '../apimachinery/json/values.ts'
import { annotationsOf, type KubeObject } from '../apimachinery/objects.ts'
import { type Condition, specOf } from './crd.ts'

export const APPROVAL = 'api-approved.kubernetes.io'
const POLICY = 'see https://github.com/kubernetes/enhancements/pull/1111'
const COMMUNITY = ['k8s.io', 'kubernetes.io']

/** State of an annotation of a community group's API, and the reason for it. */
interface Approval {
  readonly state: 'Approved' | 'Invalid' | 'Missing' | 'Unapproved'
  readonly message: string
}

/** Reports whether only the Kubernetes project may use a group without saying so (KEP-1111). */
export function isCommunityGroup(crd: KubeObject): boolean {
  const group = stringAt(specOf(crd), 'group')
  return COMMUNITY.some((owned) => group === owned || group.endsWith(`.${owned}`))
}

export function approvalOf(crd: KubeObject): Approval {
  const text = annotationsOf(crd)[APPROVAL] ?? ''
  const needed = `protected groups must have approval annotation ${quoted(APPROVAL)}`
  if (text.startsWith('unapproved')) {
    return { state: 'Unapproved', message: `not approved: ${quoted(text)}` }
  }
  if (URL.parse(text)?.host) return { state: 'Approved', message: `approved in ${text}` }
  if (text === '') return { state: 'Missing', message: `${needed}, ${POLICY}` }
  const why = 'with either a URL or a reason starting with "unapproved"'
  return { state: 'Invalid', message: `${needed} ${why}, ${POLICY}` }
}

/** Says whether an API of a community group is approved, in upstream's API approval controller's words. */
export function approvalCondition(crd: KubeObject): Condition | undefined {
  if (!isCommunityGroup(crd)) return undefined
  const { state, message } = approvalOf(crd)
  return {
    type: 'KubernetesAPIApprovalPolicyConformant',
    status: state === 'Approved' ? 'True' : 'False',
    reason: `${state}Annotation`,
    message,
  }
}
