export { createWatchReader } from './watch-reader.ts'
export { openWatchScreen, type WatchScreen } from './watch-screen.ts'
