export { formatDuration, goDuration, parseDuration } from './go-duration';
