export {
  amazonTimeSync,
  bottlerocketTimeSettings,
  chronyConfig,
  chronyScript,
  scriptsAsUserData,
  timeServers,
} from './node-config';
export { TimeSync } from './time-sync';
export type { TimeSyncProps } from './time-sync';
