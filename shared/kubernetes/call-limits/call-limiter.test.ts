import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  answerJson,
  type ScriptedServer,
  startScriptedServer,
} from '../../../test/support/scripted-server.ts'
import {
  type ApiClient,
  ApiError,
  CircuitOpenError,
  createApiClient,
  createCallBudget,
  createCallLimiter,
  createCircuitBreaker,
  ForbiddenError,
  NAMESPACES,
  SERVICES,
  ThrottledError,
} from '../index.ts'

const status = (code: number, reason: string): object => ({ kind: 'Status', code, reason, message: reason })

describe('a guarded client', () => {
  let server: ScriptedServer
  let client: ApiClient
  const get = (): Promise<object> => client.get(NAMESPACES, { name: 'shop' })

  beforeEach(async () => {
    server = await startScriptedServer()
  })
  afterEach(async () => {
    client.close()
    await server.close()
  })

  describe('whose server asks to wait', () => {
    const refuse = (code: number, retryAfter: string, times: number): void => {
      let left = times
      server.answer((_request, response) => {
        if (left-- <= 0) return answerJson(response, { metadata: { name: 'shop' } })
        response
          .writeHead(code, { 'retry-after': retryAfter })
          .end(JSON.stringify(status(code, 'TooManyRequests')))
      })
    }

    it('sends a call again that was refused with 429, when that is within its limit', async () => {
      const budget = createCallBudget({ callsPerSecond: 100 })
      client = createApiClient(server.connection, {
        limiter: createCallLimiter({ budget, maxWaitMs: 2_000 }),
      })
      refuse(429, '0.05', 2)
      await expect(get()).resolves.toEqual({ metadata: { name: 'shop' } })
      expect(server.requests).toHaveLength(3)
      expect(budget.pauses).toBe(2)
    })

    it('tries three times at most', async () => {
      const budget = createCallBudget({ callsPerSecond: 100 })
      client = createApiClient(server.connection, { limiter: createCallLimiter({ budget }) })
      refuse(429, '0', 9)
      await expect(get()).rejects.toMatchObject({ code: 429, retryAfterSeconds: 0 })
      expect(server.requests).toHaveLength(3)
    })

    it('does not take any other refusal for a request to wait', async () => {
      const budget = createCallBudget({ callsPerSecond: 1 })
      client = createApiClient(server.connection, { limiter: createCallLimiter({ budget, maxWaitMs: 0 }) })
      server.answer((_request, response) => answerJson(response, status(409, 'Conflict'), 409))
      await expect(get()).rejects.toMatchObject({ code: 409 })
      await expect(get()).rejects.toMatchObject({ code: 409 })
      expect(budget.pauses).toBe(0)
    })

    it.each([429, 503])('makes no further call before the time that a %i asked for', async (code) => {
      const budget = createCallBudget({ callsPerSecond: 100 })
      client = createApiClient(server.connection, {
        limiter: createCallLimiter({ budget, maxWaitMs: 2_000 }),
      })
      refuse(code, '30', 1)
      await expect(get()).rejects.toMatchObject({ code, retryAfterSeconds: 30 })
      for (let call = 0; call < 20; call++) await expect(get()).rejects.toThrow(ThrottledError)
      await expect(get()).rejects.toMatchObject({ retryAfterSeconds: expect.closeTo(30, 0) })
      expect(server.requests).toHaveLength(1)
    })
  })

  it('lets another call see whether the cluster is back when the first one has to wait too long', async () => {
    const clock = { ms: 0 }
    const now = (): number => clock.ms
    const budget = createCallBudget({ callsPerSecond: 100, now })
    const breaker = createCircuitBreaker({ cluster: 'scripted', failures: 1, now })
    client = createApiClient(server.connection, {
      limiter: createCallLimiter({ budget, breaker, maxWaitMs: 1_000 }),
    })
    await expect(get()).rejects.toThrow(CircuitOpenError)
    budget.pause(5_000)
    clock.ms = 2_000
    await expect(get()).rejects.toThrow(ThrottledError)
    const shop = { metadata: { name: 'shop' } }
    server.answer((_request, response) => answerJson(response, shop))
    clock.ms = 6_000
    await expect(get()).resolves.toEqual(shop)
  })

  describe('with a circuit breaker', () => {
    beforeEach(() => {
      const breaker = createCircuitBreaker({ cluster: 'scripted', failures: 2 })
      client = createApiClient(server.connection, {
        timeoutMs: 1_000,
        limiter: createCallLimiter({ breaker }),
      })
    })

    it.each([
      ['an error of the server', 500, JSON.stringify(status(500, 'InternalError'))],
      ['a gateway that answers instead', 404, '404 page not found'],
      ['an answer that is no JSON', 200, '<html>'],
    ])('sends nothing more after %s, several times in a row', async (_name, code, body) => {
      server.answer((_request, response) => void response.writeHead(code).end(body))
      await expect(get()).rejects.not.toThrow(CircuitOpenError)
      await expect(get()).rejects.toThrow(CircuitOpenError)
      await expect(get()).rejects.toThrow(CircuitOpenError)
      expect(server.requests).toHaveLength(2)
    })

    it('sends nothing more to a server that hangs', async () => {
      server.answer(() => undefined)
      await expect(get()).rejects.toMatchObject({ code: 'ETIMEDOUT' })
      await expect(get()).rejects.toThrow(CircuitOpenError)
      await expect(get()).rejects.toThrow(CircuitOpenError)
      expect(server.requests).toHaveLength(2)
    })

    it.each([
      [403, 'Forbidden'],
      [404, 'NotFound'],
      [409, 'Conflict'],
      [422, 'Invalid'],
      [429, 'TooManyRequests'],
    ])('takes a refusal with %i for an answer', async (code, reason) => {
      server.answer((_request, response) => answerJson(response, status(code, reason), code))
      for (let call = 0; call < 5; call++) await expect(get()).rejects.toMatchObject({ code })
      expect(server.requests).toHaveLength(5)
    })

    it('takes a version that the server has not reached for an answer', async () => {
      const details = { causes: [{ reason: 'ResourceVersionTooLarge' }] }
      server.answer((_request, response) => answerJson(response, { ...status(504, 'Timeout'), details }, 504))
      for (let call = 0; call < 5; call++) await expect(get()).rejects.toMatchObject({ code: 504 })
      expect(server.requests).toHaveLength(5)
    })

    it('counts nothing against the server when the caller gives up', async () => {
      server.answer(() => undefined)
      for (let call = 0; call < 5; call++) {
        const caller = new AbortController()
        const answer = client.list(SERVICES, { signal: caller.signal })
        await vi.waitUntil(() => server.requests.length > call)
        caller.abort(new Error('enough'))
        await expect(answer).rejects.toThrow('enough')
      }
      server.answer((_request, response) => answerJson(response, status(403, 'Forbidden'), 403))
      await expect(get()).rejects.toThrow(ForbiddenError)
    })
  })
})

describe('the longest wait of a limiter', () => {
  const call = { action: 'list Pods of cluster east' }

  it.each([
    [1_500, [0, 1_000]],
    [999, [0]],
    [2_500, [0, 1_000, 2_000]],
  ])('of %i ms is for all tries together: they are at %j', async (maxWaitMs, expected) => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const budget = createCallBudget({ callsPerSecond: 100_000 })
    const limiter = createCallLimiter({ budget, maxWaitMs })
    const began = performance.now()
    const times: number[] = []
    const outcome = limiter(call, async () => {
      times.push(Math.floor(performance.now() - began))
      throw new ApiError('wait', 429, {}, 1)
    }).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await outcome).toMatchObject({ code: 429 })
    expect(times).toEqual(expected)
  })

  it('is not asked for by an error that says when, but is no refusal for load', async () => {
    const budget = createCallBudget({ callsPerSecond: 10 })
    const limiter = createCallLimiter({ budget })
    const failing = limiter(call, async () => {
      throw new ApiError('broken', 500, {}, 5)
    })
    await expect(failing).rejects.toMatchObject({ code: 500 })
    expect(budget.pauses).toBe(0)
  })

  it('may be none, without a circuit breaker', async () => {
    const budget = createCallBudget({ callsPerSecond: 1 })
    const limiter = createCallLimiter({ budget, maxWaitMs: 0 })
    for (let first = 0; first < 2; first++) await limiter(call, async () => undefined)
    await expect(limiter(call, async () => undefined)).rejects.toThrow(ThrottledError)
  })
})
