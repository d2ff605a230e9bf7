export { clockCheck } from './clock-check';
export type { ClockOptions } from './clock-check';
