import { stringify } from 'yaml'
import {
  ANNOTATION_CLUSTER,
  ANNOTATION_MAXIMUM_REMOVAL,
  ANNOTATION_NAMESPACE,
  ANNOTATION_PACKING,
  ANNOTATION_RELEASE,
  ANNOTATION_RULES,
  ANNOTATION_SELECTOR,
  type AnnotationRule,
  ASKED_SOURCES,
  excludes,
  NAMESPACE_NEEDS_CLUSTER,
} from '../../shared/changes/index.ts'
import { EXPORT_KIND_RULE, EXPORT_TO_RULE, FLEET_POLICY_RULE } from '../../shared/fleet/index.ts'
import { ENDPOINT_SELECTORS } from '../../shared/kubernetes/index.ts'
import { literal, misspellingsOf, unusable, type Validation, validationsOf } from './expressions.fixtures.ts'

/** Objects of one kind, and the annotations that people set on them. */
interface AnnotatedKind {
  /** The plural. */
  readonly resource: string
  readonly kind: string
  readonly group: string
  readonly rules: readonly AnnotationRule[]
  /** Rules that concern several annotations. */
  readonly companions: readonly Validation[]
}

const ruleOf = (annotation: string): AnnotationRule => ({
  annotation,
  checks: ANNOTATION_RULES[annotation] ?? [],
})

/** @param together annotations that are wrong beside each other @param without one that makes them right */
function companion(
  annotation: string,
  problem: string,
  { together, without }: { readonly together: readonly string[]; readonly without?: string },
): Validation {
  const all = together.map((name) => `${literal(name)} in variables.annotations`)
  const isChanged = `variables.changed.exists(k, k in [${together.map(literal).join(', ')}])`
  const isRight = without === undefined ? '' : ` || ${literal(without)} in variables.annotations`
  return {
    expression: `!(${all.join(' && ')}) || !${isChanged}${isRight}`,
    message: unusable(annotation) + problem,
    reason: 'Invalid',
  }
}

const COMPANIONS: readonly Validation[] = [
  companion(ANNOTATION_NAMESPACE, NAMESPACE_NEEDS_CLUSTER, {
    together: [ANNOTATION_NAMESPACE, ANNOTATION_SELECTOR],
    without: ANNOTATION_CLUSTER,
  }),
  ...ASKED_SOURCES.flatMap((source, index) =>
    ASKED_SOURCES.slice(0, index).map((other) =>
      companion(source.asks, excludes(other), { together: [source.asks, other.asks] }),
    ),
  ),
]

/** As on Services; what else stands on an import is Sliceflow's own. */
const OF_IMPORTS = [ANNOTATION_RELEASE, ANNOTATION_MAXIMUM_REMOVAL, ANNOTATION_PACKING] as const

/** Every kind of object that Sliceflow reads annotations of people on. */
export const ANNOTATED_KINDS: readonly AnnotatedKind[] = [
  {
    resource: 'services',
    kind: 'Service',
    group: '',
    rules: Object.keys(ANNOTATION_RULES).map(ruleOf),
    companions: COMPANIONS,
  },
  {
    resource: ENDPOINT_SELECTORS.plural,
    kind: ENDPOINT_SELECTORS.kind,
    group: ENDPOINT_SELECTORS.group,
    // It has its own selector.
    rules: Object.keys(ANNOTATION_RULES)
      .filter((annotation) => annotation !== ANNOTATION_SELECTOR)
      .map(ruleOf),
    companions: [
      companion(ANNOTATION_NAMESPACE, NAMESPACE_NEEDS_CLUSTER, {
        together: [ANNOTATION_NAMESPACE],
        without: ANNOTATION_CLUSTER,
      }),
    ],
  },
  {
    resource: 'serviceimports',
    kind: 'ServiceImport',
    group: 'multicluster.x-k8s.io',
    rules: OF_IMPORTS.map(ruleOf),
    companions: [],
  },
  {
    resource: 'serviceexports',
    kind: 'ServiceExport',
    group: 'multicluster.x-k8s.io',
    rules: [FLEET_POLICY_RULE, EXPORT_TO_RULE, EXPORT_KIND_RULE],
    companions: [],
  },
]

const ANNOTATIONS = '(has(object.metadata.annotations) ? object.metadata.annotations : {})'
const BEFORE =
  'oldObject != null && has(oldObject.metadata.annotations) ? oldObject.metadata.annotations : {}'
const OURS = "k.startsWith('sliceflow.dev/')"

/**
 * Makes the policies and their bindings: one of each kind that refuses, and one of Services that warns of
 * annotations that nothing reads. What stands in an object already is no reason to refuse a change of
 * something else.
 */
function admissionPolicies(): object[] {
  const refusing = ANNOTATED_KINDS.flatMap((annotated) => {
    const { resource, rules, companions } = annotated
    const misspelt = misspellingsOf(rules.map(({ annotation }) => annotation))
    const validations = [...rules.flatMap(validationsOf), ...companions, ...misspelt]
    return policyAndBinding(`sliceflow-annotations.${resource}`, 'Deny', annotated, validations)
  })
  const warned = ANNOTATED_KINDS.filter(({ kind }) => kind !== 'ServiceImport')
  const warning = warned.flatMap((annotated) => {
    const name = `sliceflow-unknown-annotations.${annotated.resource}`
    return policyAndBinding(name, 'Warn', annotated, [unknownWarning(annotated)])
  })
  return [...refusing, ...warning]
}

function unknownWarning({ kind, rules }: AnnotatedKind): Validation {
  const known = rules.map(({ annotation }) => annotation)
  const unknown = `variables.changed.filter(k, !(k in [${known.map(literal).join(', ')}]))`
  const words = ` of ${/^[AEIO]/.test(kind) ? 'an' : 'a'} ${kind}; it reads ${known.map((name) => name.replace('sliceflow.dev/', '/')).join(', ')}`
  return {
    expression: `size(${unknown}) == 0`,
    message: `Sliceflow does not read every annotation${words}`,
    messageExpression: `'Sliceflow reads no annotation ' + ${unknown}[0] + ${literal(words)}`,
    reason: 'Invalid',
  }
}

/**
 * Failure policy `Ignore`: if a rule cannot be evaluated, the object is admitted; Sliceflow validates it
 * again.
 */
function policyAndBinding(
  name: string,
  action: 'Deny' | 'Warn',
  { group, resource }: AnnotatedKind,
  validations: readonly Validation[],
): readonly object[] {
  const [apiVersion, metadata] = ['admissionregistration.k8s.io/v1', { name }]
  const constraints = { apiGroups: [group], apiVersions: ['*'], operations: ['CREATE', 'UPDATE'] }
  return [
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicy',
      metadata,
      spec: {
        failurePolicy: 'Ignore',
        matchConstraints: { resourceRules: [{ ...constraints, resources: [resource] }] },
        matchConditions: [{ name: 'annotated', expression: `${ANNOTATIONS}.exists(k, ${OURS})` }],
        variables: [
          { name: 'annotations', expression: 'object.metadata.annotations' },
          { name: 'before', expression: BEFORE },
          {
            name: 'changed',
            expression: `variables.annotations.filter(k, ${OURS} && !(k in variables.before && variables.before[k] == variables.annotations[k]))`,
          },
        ],
        validations,
      },
    },
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata,
      spec: { policyName: name, validationActions: [action] },
    },
  ]
}

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
