export { openWatchScreen, type WatchScreen } from './watch-screen.ts'
