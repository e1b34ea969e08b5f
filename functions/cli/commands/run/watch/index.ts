export { createWatchReader, openWatchScreen, type WatchScreen } from './watch-screen.ts'
