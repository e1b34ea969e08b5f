export { type PublishFeed, startViewPublisherFeed } from './publish-feed.ts'
