/** Makes the answer with which an API server refuses. */
export const status = (code: number, reason: string, message: string, more: object = {}): object => ({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  code,
  reason,
  message,
  ...more,
})
