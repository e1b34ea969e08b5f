import { quoted } from '../../../kubernetes/index.ts'
import { forbidden } from '../../apimachinery/errors/factories.ts'
import { objectAt, sameJson, stringAt } from '../../apimachinery/json/values.ts'
import type {
  AdmissionAttributes,
  AdmissionPlugin,
  AdmissionRequest,
} from '../../apiserver/registry/admission/types.ts'
import { readSigningRequest } from './pkcs10.ts'

const GROUP = 'certificates.k8s.io'
const REQUESTS = { group: GROUP, plural: 'certificatesigningrequests' }
const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client'

const isAbout = ({ resource }: AdmissionRequest): boolean =>
  resource.group === GROUP && resource.resource === REQUESTS.plural

/** Plugin that lets those approve who have the verb `approve` on the signer, or on all of its domain. */
export const certificateApproval: AdmissionPlugin = {
  name: 'CertificateApproval',
  handles: (request) =>
    isAbout(request) && request.operation === 'UPDATE' && request.subresource === 'approval',
  validate: (attributes) => checkSignerVerb(attributes, 'approve'),
}

/** Plugin that lets those give a certificate, or refuse one, who have the verb `sign`. */
export const certificateSigning: AdmissionPlugin = {
  name: 'CertificateSigning',
  handles: (request) =>
    isAbout(request) && request.operation === 'UPDATE' && request.subresource === 'status',
  validate: (attributes) => {
    const [after, before] = [attributes.object, attributes.oldObject].map((object) =>
      objectAt(object, 'status'),
    )
    const isSame = ['certificate', 'conditions'].every((member) =>
      sameJson(after?.[member], before?.[member]),
    )
    if (!isSame) checkSignerVerb(attributes, 'sign')
  },
}

/** Refuses requests for a client certificate of the administrators' group. */
export const certificateSubjectRestriction: AdmissionPlugin = {
  name: 'CertificateSubjectRestriction',
  handles: (request) => isAbout(request) && request.operation === 'CREATE' && request.subresource === '',
  validate: ({ object, name }) => {
    const spec = objectAt(object, 'spec')
    if (spec.signerName !== CLIENT_SIGNER) return
    if (!readSigningRequest(stringAt(spec, 'request')).organizations.includes('system:masters')) return
    const why = `use of ${CLIENT_SIGNER} signer with system:masters group is not allowed`
    throw forbidden(REQUESTS, name, why)
  },
}

/** Checks the verb on the signer of the stored request: an update cannot choose another one. */
function checkSignerVerb(
  { oldObject, user, authorize, name }: AdmissionAttributes,
  verb: 'approve' | 'sign',
): void {
  const signer = stringAt(objectAt(oldObject, 'spec'), 'signerName')
  const [domain = ''] = signer.split('/')
  const isAllowed = [signer, `${domain}/*`].some(
    (signerName) =>
      authorize({
        user,
        verb,
        path: '',
        resourceRequest: true,
        group: GROUP,
        version: '*',
        resource: 'signers',
        subresource: '',
        namespace: '',
        name: signerName,
      }).allowed,
  )
  if (isAllowed) return
  throw forbidden(REQUESTS, name, `user not permitted to ${verb} requests with signerName ${quoted(signer)}`)
}
