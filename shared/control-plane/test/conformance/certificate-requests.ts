import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import { cryptoProvider, Pkcs10CertificateRequestGenerator, X509CertificateGenerator } from '@peculiar/x509'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Json } from '../../../../test/support/raw-client.ts'
import { describeRefusals } from './refusals.ts'
import { accepted, PATIENCE, type Subject } from './subject.ts'

const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests'
const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings'
const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles'
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const SIGNER = 'example.org/tests'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

async function pkcs10(name: string): Promise<string> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const request = await Pkcs10CertificateRequestGenerator.create({ name, keys, signingAlgorithm: ALGORITHM })
  return base64(request.toString('pem'))
}

async function certificate(): Promise<string> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const made = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=issued',
    keys,
    signingAlgorithm: ALGORITHM,
  })
  return base64(made.toString('pem'))
}

export function describeCertificateRequests(subject: Subject): void {
  describe('certificate requests', () => {
    const client = () => subject.client
    let request = ''
    beforeAll(async () => {
      cryptoProvider.set(webcrypto)
      request = await pkcs10('CN=client, O=tests')
    })
    const made = (name: string, spec: Json = {}): Json => ({
      metadata: { name },
      spec: { request, signerName: SIGNER, usages: ['client auth'], ...spec },
    })
    const create = async (name: string, spec: Json = {}) =>
      accepted(await client().post(REQUESTS, made(name, spec)))
    const approve = (name: string, conditions: Json, headers: Record<string, string> = {}) =>
      client().send('PATCH', `${REQUESTS}/${name}/approval`, {
        headers: { 'content-type': 'application/merge-patch+json', ...headers },
        body: { status: { conditions } },
      })
    const approved = { type: 'Approved', status: 'True', reason: 'Test', message: 'fine' }

    it('have the user who created them, whatever they say', async () => {
      const body = await create('asked', {
        username: 'somebody-else',
        groups: ['others'],
        expirationSeconds: 3600,
      })
      const review = await client().post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {})
      const { username, groups } = accepted(review).status.userInfo
      expect(body.spec).toMatchObject({ username, groups, expirationSeconds: 3600, signerName: SIGNER })
      expect(body.status).toEqual({})
    })

    describeRefusals(subject, 'certificate-requests', (spec) => made('refused', spec))

    it('of clients may not be for the administrators’ group', async () => {
      const masters = await pkcs10('CN=me, O=system:masters')
      const spec = { request: masters, signerName: 'kubernetes.io/kube-apiserver-client' }
      const { status, body } = await client().post(REQUESTS, made('masters', spec))
      expect(status).toBe(403)
      expect(body.message).toBe(
        'certificatesigningrequests.certificates.k8s.io "masters" is forbidden: use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed',
      )
    })

    it('are approved or denied once, at /approval', async () => {
      await create('approved')
      const body = accepted(await approve('approved', [approved]))
      expect(body.status.conditions).toMatchObject([
        { ...approved, lastUpdateTime: expect.any(String), lastTransitionTime: expect.any(String) },
      ])
      const both = await approve('approved', [approved, { type: 'Denied', status: 'True' }])
      expect(both.status).toBe(422)
      const gone = await approve('approved', [])
      expect(gone.status).toBe(422)
      expect(gone.body.message).toContain(
        'status.conditions: Forbidden: updates may not remove a condition of type "Approved"',
      )
      const twice = await approve('approved', [approved, approved])
      expect(twice.body.details.causes).toMatchObject([
        { reason: 'FieldValueDuplicate', field: 'status.conditions[1].type' },
      ])
      const never = await approve('approved', [{ ...approved, status: 'False' }])
      expect(never.body.message).toContain(
        'status.conditions[0].status: Unsupported value: "False": supported values: "True"',
      )
    })

    it('are not approved at /status, which takes the certificate', async () => {
      await create('signed')
      const path = `${REQUESTS}/signed/status`
      const refused = await client().patch(path, { status: { conditions: [approved] } })
      expect(refused.status).toBe(422)
      expect(refused.body.message).toContain(
        'status.conditions: Forbidden: updates may not add a condition of type "Approved"',
      )
      const wrong = await client().patch(path, { status: { certificate: base64('none') } })
      expect(wrong.body.message).toContain(
        'status.certificate: Invalid value: "<certificate data>": must contain at least one CERTIFICATE PEM block',
      )
      const issued = await certificate()
      accepted(await client().patch(path, { status: { certificate: issued } }))
      const again = await client().patch(path, { status: { certificate: await certificate() } })
      expect(again.body.message).toContain(
        'status.certificate: Forbidden: updates may not modify existing certificate content',
      )
      const failed = { type: 'Failed', status: 'True', reason: 'Test', message: 'no' }
      const { status } = accepted(await client().patch(path, { status: { conditions: [failed] } }))
      expect(status).toMatchObject({ certificate: issued, conditions: [failed] })
    })

    it('are approved and signed by those who may do that for the signer', async () => {
      await create('permitted')
      const rules = [
        {
          apiGroups: ['certificates.k8s.io'],
          resources: ['certificatesigningrequests/approval', 'certificatesigningrequests/status'],
          verbs: ['patch'],
        },
      ]
      accepted(await client().post(ROLES, { metadata: { name: 'csr-approver' }, rules }))
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'csr-approver' }
      const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'approver' }]
      accepted(await client().post(BINDINGS, { metadata: { name: 'csr-approver' }, roleRef, subjects }))
      const as = { 'impersonate-user': 'approver' }
      await expect
        .poll(async () => (await approve('permitted', [approved], as)).body.message, PATIENCE)
        .toBe(
          `certificatesigningrequests.certificates.k8s.io "permitted" is forbidden: user not permitted to approve requests with signerName "${SIGNER}"`,
        )
      const signers = {
        apiGroups: ['certificates.k8s.io'],
        resources: ['signers'],
        resourceNames: ['example.org/*'],
        verbs: ['approve'],
      }
      accepted(await client().patch(`${ROLES}/csr-approver`, { rules: [...rules, signers] }))
      await expect.poll(async () => (await approve('permitted', [approved], as)).status, PATIENCE).toBe(200)
      const signing = await client().send('PATCH', `${REQUESTS}/permitted/status`, {
        headers: { 'content-type': 'application/merge-patch+json', ...as },
        body: { status: { certificate: await certificate() } },
      })
      expect(signing.status).toBe(403)
      expect(signing.body.message).toContain(
        `user not permitted to sign requests with signerName "${SIGNER}"`,
      )
    })

    it('are selected by their signers and shown in tables', async () => {
      await create('shown', { signerName: 'example.org/shown', expirationSeconds: 7200 })
      accepted(await approve('shown', [approved]))
      const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }
      const { rows } = accepted(
        await client().get(`${REQUESTS}?fieldSelector=spec.signerName%3Dexample.org/shown`, headers),
      )
      expect(rows.map(({ cells }: Json) => cells)).toMatchObject([
        ['shown', expect.any(String), 'example.org/shown', expect.any(String), '120m', 'Approved'],
      ])
      const refused = await client().get(`${REQUESTS}?fieldSelector=spec.username%3Da`)
      expect(refused.body.message).toBe('field label not supported: spec.username')
    })
  })
}
