import type { Json } from '../../../../../test/support/raw-client.ts'

const GROUP = '/apis/flowcontrol.apiserver.k8s.io/v1'
export const SCHEMAS = `${GROUP}/flowschemas`
export const LEVELS = `${GROUP}/prioritylevelconfigurations`

const rule = {
  subjects: [{ kind: 'User', user: { name: 'nobody-at-all' } }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
}
export const schema = (name: string, spec: Json = {}): Json => ({
  metadata: { name },
  spec: { priorityLevelConfiguration: { name: 'global-default' }, rules: [rule], ...spec },
})
export const limited = (name: string, response: Json = { type: 'Reject' }, more: Json = {}): Json => ({
  metadata: { name },
  spec: { type: 'Limited', limited: { limitResponse: response, ...more } },
})
