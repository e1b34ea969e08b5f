import { expect, it } from 'vitest'
import { type ControllersScene, PATIENCE } from './scene.ts'

/** Tests what kube-controller-manager puts into every namespace, and keeps there. */
export function itHasServiceAccounts(scene: ControllersScene): void {
  it('gives a new namespace its default service account and the root certificate', async () => {
    await scene.namespace('equipped')
    const at = (path: string) => `/api/v1/namespaces/equipped/${path}`
    const certificate = async (): Promise<string> =>
      (await scene.client.get(at('configmaps/kube-root-ca.crt'))).body.data?.['ca.crt']
    await expect
      .poll(async () => (await scene.client.get(at('serviceaccounts/default'))).status, PATIENCE)
      .toBe(200)
    await expect.poll(certificate, PATIENCE).toMatch(/^-----BEGIN CERTIFICATE-----/)

    await scene.client.delete(at('serviceaccounts/default'))
    await scene.client.patch(at('configmaps/kube-root-ca.crt'), { data: { 'ca.crt': 'something else' } })
    await expect
      .poll(async () => (await scene.client.get(at('serviceaccounts/default'))).status, PATIENCE)
      .toBe(200)
    await expect.poll(certificate, PATIENCE).toMatch(/^-----BEGIN CERTIFICATE-----/)
  })

  it('fills in a secret that asks for the token of an account, and takes it away with that', async () => {
    await scene.namespace('tokens')
    const at = (path: string) => `/api/v1/namespaces/tokens/${path}`
    await scene.client.post(at('serviceaccounts'), { metadata: { name: 'robot' } })
    await scene.client.post(at('secrets'), {
      metadata: { name: 'robot-token', annotations: { 'kubernetes.io/service-account.name': 'robot' } },
      type: 'kubernetes.io/service-account-token',
    })
    await expect
      .poll(
        async () => Object.keys((await scene.client.get(at('secrets/robot-token'))).body.data ?? {}),
        PATIENCE,
      )
      .toEqual(['ca.crt', 'namespace', 'token'])
    const { data, metadata } = (await scene.client.get(at('secrets/robot-token'))).body
    const [certificate, namespace, token] = ['ca.crt', 'namespace', 'token'].map((member) =>
      Buffer.from(data[member], 'base64').toString(),
    )
    expect([certificate, namespace]).toEqual([
      expect.stringMatching(/^-----BEGIN CERTIFICATE-----/),
      'tokens',
    ])
    const { uid } = (await scene.client.get(at('serviceaccounts/robot'))).body.metadata
    expect(metadata.annotations).toMatchObject({ 'kubernetes.io/service-account.uid': uid })
    const robot = scene.clientOf(token ?? '')
    const review = await robot.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'SelfSubjectReview',
    })
    robot.close()
    expect(review.body.status?.userInfo, review.text).toMatchObject({
      username: 'system:serviceaccount:tokens:robot',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:tokens', 'system:authenticated'],
    })
    await scene.client.delete(at('serviceaccounts/robot'))
    await expect
      .poll(async () => (await scene.client.get(at('secrets/robot-token'))).status, PATIENCE)
      .toBe(404)
  })
}
