import { subdomainName } from '../../../../kubernetes/index.ts'
import type { JsonObject, JsonValue } from '../../../apimachinery/json/exact-numbers.ts'
import { isObject, objectAt, objectsAt, sameJson, stringAt } from '../../../apimachinery/json/values.ts'
import type { KubeObject } from '../../../apimachinery/objects.ts'
import { validateConditions } from '../../../apimachinery/validation/conditions.ts'
import { errorsBy, type Field } from '../../../apimachinery/validation/field.ts'
import type { ResourceDefinition } from '../../../apiserver/registry/definition/resource-definition.ts'
import type { Strategy } from '../../../apiserver/registry/definition/strategy.ts'
import { countChanges } from '../../../apiserver/registry/writes/generation.ts'
import { tableOf } from '../../../apiserver/table/columns.ts'
import type { LazyCel } from '../../../cel/lazy-cel.ts'
import { builtInKind } from '../../built-in-kind.ts'
import {
  defaultMatchResources,
  validateMatchResources,
  validateMutableOperations,
} from '../matching/match-resources.ts'
import { warnOfStaticName } from '../static-name.ts'
import { validateMutatingPolicy } from './mutating-policy-validation.ts'
import { validateParamRef } from './params.ts'
import { validateValidationActions } from './policy-choices.ts'
import { validateValidatingPolicy } from './validating-policy-validation.ts'

type Which = 'Mutating' | 'Validating'

/** Returns the resources of admission policies and their bindings (KEP-3488, KEP-3962). */
export function admissionPolicies(cel: LazyCel): ResourceDefinition[] {
  return [
    policies('Mutating', cel),
    bindings('Mutating'),
    policies('Validating', cel),
    bindings('Validating'),
  ]
}

function policies(which: Which, cel: LazyCel): ResourceDefinition {
  const judges = which === 'Validating'
  const member = judges ? 'validations' : 'mutations'
  const validate = errorsBy(judges ? validateValidatingPolicy : validateMutatingPolicy)
  const names = namesOf(`${which}AdmissionPolicy`)
  return {
    ...names,
    hasStatus: judges,
    statusKeepsMetadata: judges,
    table: tableOf(names.plural, (policy) => ({
      [judges ? 'Validations' : 'Mutations']: objectsAt(objectAt(policy, 'spec'), member).length,
      ParamKind: paramKindCell(objectAt(policy, 'spec').paramKind),
    })),
    strategy: {
      ...generations(judges),
      load: () => cel.load(),
      setDefaults: (object) => changeSpec(object, policyDefaults),
      validateCreate: (object) => validate(object, cel, false),
      validateUpdate: (object, old) => validate(object, cel, sameConditions(object, old)),
      ...(judges ? { validateStatusUpdate: errorsBy(validatePolicyStatus) } : {}),
    },
  }
}

function bindings(which: Which): ResourceDefinition {
  const names = namesOf(`${which}AdmissionPolicyBinding`)
  return {
    ...names,
    table: tableOf(names.plural, (binding) => ({
      PolicyName: stringAt(objectAt(binding, 'spec'), 'policyName'),
      ParamRef: paramRefCell(objectAt(binding, 'spec').paramRef),
    })),
    strategy: {
      ...generations(false),
      setDefaults: (object) => changeSpec(object, (spec) => defaultMatchResources(spec, 'matchResources')),
      validate: errorsBy((binding: Field) => validateBinding(binding, which)),
    },
  }
}

const namesOf = (kind: string) => ({
  ...builtInKind('admissionregistration.k8s.io', kind),
  ...(kind.startsWith('Mutating') ? { upstreamVersion: 'v1beta1' } : {}),
  namespaced: false,
  categories: ['api-extensions'],
  finalizers: 'any' as const,
  unconditionalUpdate: false,
})

function generations(hasStatus: boolean): Pick<Strategy, 'prepareForCreate' | 'prepareForUpdate'> {
  return {
    prepareForCreate: (object, context) => {
      if (hasStatus) delete object.status
      countChanges(object, undefined)
      warnOfStaticName(object, context)
    },
    prepareForUpdate: (object, old, context) => {
      countChanges(object, old, 'spec')
      warnOfStaticName(object, context)
    },
  }
}

function changeSpec(object: KubeObject, change: (spec: JsonObject) => void): void {
  if (!isObject(object.spec)) return
  const spec = { ...object.spec }
  change(spec)
  object.spec = spec
}

function policyDefaults(spec: JsonObject): void {
  spec.failurePolicy ??= 'Fail'
  defaultMatchResources(spec, 'matchConstraints')
}

/** Reports whether an update leaves the conditions as they are: valid once, they are not checked again. */
function sameConditions(object: KubeObject, old: KubeObject): boolean {
  const [next, before] = [objectAt(object, 'spec'), objectAt(old, 'spec')]
  return (
    (next.paramKind === undefined) === (before.paramKind === undefined) &&
    sameJson(next.matchConditions, before.matchConditions)
  )
}

function validateBinding(binding: Field, which: Which): void {
  const spec = binding.child('spec')
  const resources = spec.child('matchResources')
  spec.child('policyName').notEmpty()?.follows(subdomainName)
  validateParamRef(spec.child('paramRef'))
  if (resources.ifObject) validateMatchResources(resources)
  if (which === 'Mutating') validateMutableOperations(resources)
  else validateValidationActions(spec.child('validationActions'))
}

function paramKindCell(paramKind: JsonValue | undefined): string {
  if (!isObject(paramKind)) return '<unset>'
  return `${stringAt(paramKind, 'apiVersion')}/${stringAt(paramKind, 'kind')}`
}

function paramRefCell(paramRef: JsonValue | undefined): string {
  if (!isObject(paramRef)) return '<unset>'
  const name = stringAt(paramRef, 'name')
  if (name === '') return '<unset>'
  return `${stringAt(paramRef, 'namespace') || '*'}/${name}`
}

/** Validates the status of a ValidatingAdmissionPolicy. */
function validatePolicyStatus(policy: Field): void {
  for (const warning of policy.child('status', 'typeChecking', 'expressionWarnings').items()) {
    const place = warning.child('fieldRef')
    warning.child('warning').notEmpty()
    place.with(place.text.trim()).notEmpty()
  }
  validateConditions(policy.child('status', 'conditions'))
}
