export { type EmbeddedQueue, startEmbeddedQueue } from './embedded-queue.ts'
