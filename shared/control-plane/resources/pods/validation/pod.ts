import { labelKey, labelName, labelValue, subdomainName } from '../../../../kubernetes/index.ts'
import type { Field } from '../../../apimachinery/validation/field.ts'
import { validateLabels } from '../../../apimachinery/validation/metadata.ts'
import { validateAffinity } from './affinity.ts'
import { validateContainers, validateHostNetwork, validateInitContainers } from './containers.ts'
import { validateDns, validateHostAliases } from './names.ts'
import { validatePodSecurity } from './security.ts'
import { validateSpread } from './spread.ts'
import { validateVolumes } from './volumes.ts'

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']
const OPERATORS = ['Equal', 'Exists']
/** They are behind a disabled feature gate, and named only in the error for one of them. */
const COMPARISONS = ['Lt', 'Gt']
const NEEDS_KEY = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'

/** Validates which taints a pod tolerates (upstream: ValidateTolerations). */
function validateToleration(toleration: Field): void {
  const [key, operator, effect] = [
    toleration.child('key'),
    toleration.child('operator'),
    toleration.child('effect'),
  ]
  key.ifFilled?.follows(labelKey)
  if (key.text === '' && operator.text !== 'Exists') operator.invalid(NEEDS_KEY, operator.text)
  if (toleration.child('tolerationSeconds').ifSet && effect.text !== 'NoExecute')
    effect.invalid("effect must be 'NoExecute' when `tolerationSeconds` is set", effect.text)
  validateOperator(operator, toleration.child('value').text)
  effect.ifFilled?.oneOf(EFFECTS)
}

function validateOperator(operator: Field, value: string): void {
  if (operator.text === 'Exists') {
    if (value !== '') operator.invalid("value must be empty when `operator` is 'Exists'", value)
  } else if (operator.text === '' || operator.text === 'Equal') {
    const wrong = labelValue(value)
    if (wrong.length > 0) operator.invalid(wrong.join(';'), value)
  } else {
    operator.notSupported(COMPARISONS.includes(operator.text) ? [...OPERATORS, ...COMPARISONS] : OPERATORS)
  }
}

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never']
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']
const SYSTEMS = ['linux', 'windows']
const LONGEST_DEADLINE = 2 ** 31 - 1

/** Validates as ValidatePodSpec, in its order; no rare kinds of volumes, overheads, claims and Windows. */
export function validatePod(pod: Field): void {
  const spec = pod.child('spec')
  const volumes = validateVolumes(spec.child('volumes'))
  validateContainers(spec, volumes)
  validateInitContainers(spec, volumes)
  validateHostNetwork(spec)
  spec.child('restartPolicy').notEmpty()?.oneOf(RESTART_POLICIES)
  spec.child('dnsPolicy').notEmpty()?.oneOf(DNS_POLICIES)
  validateLabels(spec.child('nodeSelector'))
  validatePodSecurity(spec)
  validateAffinity(spec.child('affinity'))
  validateDns(spec)
  validateGates(spec)
  validateSpread(spec.child('topologySpreadConstraints'))
  spec.child('nodeName').ifFilled?.follows(subdomainName)
  spec
    .child('activeDeadlineSeconds')
    .ifSet?.between(1, LONGEST_DEADLINE, `must be between 1 and ${LONGEST_DEADLINE}, inclusive`)
  spec.child('hostname').ifFilled?.follows(labelName)
  spec.child('subdomain').ifFilled?.follows(labelName)
  for (const toleration of spec.child('tolerations').items()) validateToleration(toleration)
  validateHostAliases(spec.child('hostAliases'))
  const system = spec.child('os')
  if (system.ifObject) system.with(system.child('name').text).oneOf(SYSTEMS)
}

/** Validates what a pod waits for before it is ready, and before it is scheduled. */
function validateGates(spec: Field): void {
  for (const gate of spec.child('readinessGates').items()) gate.child('conditionType').follows(labelKey)
  const names = new Set<string>()
  for (const gate of spec.child('schedulingGates').items()) {
    const name = gate.with(gate.child('name').text)
    name.follows(labelKey)
    name.unique(names)
  }
}
