import { expect, it } from 'vitest'
import { makePod } from '../../../../test/support/objects.ts'
import type { Json } from '../../../../test/support/raw-client.ts'
import { accepted, describeIn, type Subject } from './subject.ts'

/** Describes the life of the suites' pods, which have no kubelet. */
export function describePods(subject: Subject): void {
  describeIn(subject, 'pods', (place) => {
    const { namespace } = place
    const path = (name: string): string => place.path('pods', name)

    it('keeps a pod for as long as 64 bits can say, and names what it refuses to the last digit', async () => {
      const spec = { ...makePod({ namespace, name: 'patient' }), kind: 'Pod', apiVersion: 'v1' }
      const text = (member: string): string =>
        JSON.stringify({ ...spec, spec: { ...spec.spec, [member]: 0 } })
      const most = '9223372036854775807'
      const patient = text('terminationGracePeriodSeconds').replace(
        '"terminationGracePeriodSeconds":0',
        `"terminationGracePeriodSeconds":${most}`,
      )
      accepted(await place.client.post(place.path('pods'), patient))
      expect((await place.client.delete(path('patient'))).text).toContain(
        `"deletionGracePeriodSeconds":${most}`,
      )
      accepted(await place.client.delete(path('patient'), { gracePeriodSeconds: 0 }))
      const refused = text('activeDeadlineSeconds')
      for (const [number, why] of [
        [most, `Invalid value: ${most}: must be between 1 and 2147483647, inclusive`],
        [
          '9223372036854775808',
          'cannot unmarshal number 9223372036854775808 into Go struct field PodSpec.spec',
        ],
      ]) {
        const body = refused.replace('"activeDeadlineSeconds":0', `"activeDeadlineSeconds":${number}`)
        expect((await place.client.post(place.path('pods'), body)).body.message).toContain(why)
      }
    })

    it('evicts a pod as the eviction asks, and says why it ends', async () => {
      const { metadata } = await place.create('pods', makePod({ namespace, name: 'evicted' }))
      const evict = (name: string, deleteOptions?: Json) =>
        place.client.post(`${path('evicted')}/eviction`, {
          apiVersion: 'policy/v1',
          kind: 'Eviction',
          metadata: { name },
          ...(deleteOptions && { deleteOptions }),
        })
      expect((await evict('another')).body).toMatchObject({
        code: 400,
        message: 'name in URL does not match name in Eviction object',
      })
      expect((await evict('evicted', { preconditions: { uid: 'another' } })).body).toMatchObject({
        code: 409,
        message: expect.stringContaining(`the UID in the precondition (another) does not match`),
      })
      accepted(await evict('evicted', { dryRun: ['All'] }))
      expect(accepted(await place.client.get(path('evicted'))).metadata).not.toHaveProperty(
        'deletionTimestamp',
      )

      const evicted = await evict('evicted', { gracePeriodSeconds: 7, preconditions: { uid: metadata.uid } })
      expect(evicted.body).toMatchObject({ kind: 'Status', status: 'Success', code: 201 })
      const pod = accepted(await place.client.get(path('evicted')))
      expect(pod.metadata.deletionGracePeriodSeconds).toBe(7)
      expect(pod.status.conditions).toContainEqual({
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'EvictionByEvictionAPI',
        message: 'Eviction API: evicting',
        lastProbeTime: null,
        lastTransitionTime: expect.stringMatching(/^20.*Z$/),
      })
      accepted(await evict('evicted', { gracePeriodSeconds: 0 }))
      expect((await place.client.get(path('evicted'))).status).toBe(404)
    })

    it('leaves the condition of an eviction in its place, with its time', async () => {
      await place.create('pods', makePod({ namespace, name: 'leaving' }))
      const disruption = {
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'PreemptionByScheduler',
        lastTransitionTime: '2020-01-01T00:00:00Z',
      }
      const conditions = [disruption, { type: 'Ready', status: 'False' }]
      accepted(await place.client.patch(`${path('leaving')}/status`, { status: { conditions } }))
      accepted(
        await place.client.post(`${path('leaving')}/eviction`, {
          apiVersion: 'policy/v1',
          kind: 'Eviction',
          metadata: { name: 'leaving' },
          deleteOptions: { gracePeriodSeconds: 7 },
        }),
      )
      const { status } = accepted(await place.client.get(path('leaving')))
      expect(status.conditions).toMatchObject([
        { ...disruption, reason: 'EvictionByEvictionAPI' },
        { type: 'Ready' },
      ])
      accepted(await place.client.delete(path('leaving'), { gracePeriodSeconds: 0 }))
    })

    it('gives the tolerations back that an update has left out, and counts those that it brings', async () => {
      const pod = await place.create('pods', makePod({ namespace, name: 'tolerant' }))
      const mine = { key: 'mine', operator: 'Exists', effect: 'NoSchedule' }
      const update = { ...pod, spec: { ...pod.spec, tolerations: [mine] } }
      const { metadata, spec } = accepted(await place.client.put(path('tolerant'), update))
      expect(spec.tolerations).toEqual([mine, ...pod.spec.tolerations])
      expect(metadata.generation).toBe(2)
    })
  })
}
