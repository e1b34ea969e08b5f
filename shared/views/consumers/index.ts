export type { ConsumeOptions, ViewHandler } from './consume.ts'
export { createLiveViews, type LiveViews, type LiveViewsOptions } from './live-views.ts'
export type { SubscriptionOptions, ViewSubscription } from './subscription.ts'
